export type Player = {
  id: string
  nick: string
  points: number
  country?: string
  joinedAt: string
}

export type League = {
  id: string
  players: Player[]
}
