export * from './parse'
export { render as formatDuration } from './render'
export { sum as total } from './sum'
export type { Style } from './style'
