export interface RecipeDraft {
  title: string
  serves: number
  steps: string[]
}

export interface Recipe {
  slug: string
  title: string
  serves?: number
  steps: string[]
}
