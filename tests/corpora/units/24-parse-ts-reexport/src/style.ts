export type Style = 'short' | 'long'
