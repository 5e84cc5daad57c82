import { parseDuration } from './parse'

export const sum = (parts: string[]): number => {
  return parts.reduce((all, part) => all + parseDuration(part), 0)
}
