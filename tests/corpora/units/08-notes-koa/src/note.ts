export type NoteDraft = {
  text: string
  pinned?: boolean
}

export type Note = {
  id: number
  text: string
  pinned: boolean
}

export type NotePage = {
  notes: Note[]
  next?: number
}
