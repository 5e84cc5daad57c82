import { readFile } from 'node:fs/promises'
import type { Player } from './player'

export const loadPlayers = async (league: string, season: number): Promise<Player[]> => {
  const text = await readFile(`leagues/${league}-${season}.json`, 'utf8')
  return JSON.parse(text) as Player[]
}
