export interface Todo {
  id: string
  title: string
  done: boolean
  dueOn?: string
}

export interface TodoDraft {
  title: string
  dueOn?: string
}
