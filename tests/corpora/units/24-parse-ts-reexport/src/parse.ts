const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600 }

export function parseDuration(text: string): number {
  let seconds = 0
  for (const [, count, unit] of text.matchAll(/(\d+)([smh])/g)) {
    seconds += Number(count) * UNITS[unit]
  }
  return seconds
}
