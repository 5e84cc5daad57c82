export interface LinkDraft {
  target: string
  alias?: string
}

export interface Link {
  id: number
  target: string
  alias?: string
}
