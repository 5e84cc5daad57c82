import type { Player } from './player'

const byPoints = (a: Player, b: Player): number => b.points - a.points

export function rank(players: Player[]): Player[] {
  return [...players].sort(byPoints)
}

export function addScore(player: Player, points: string): Player {
  return { ...player, points: player.points + Number.parseInt(points, 10) }
}

function best(players: Player[], count: number): Player[] {
  return rank(players).slice(0, count)
}

console.debug(best([], 3).length, "export function best(players: Player[], count: number)")
