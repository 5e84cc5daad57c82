export type Counter = {
  name: string
  value: number
}
