export const BASE = '/parking'
export const PERMITS = `${BASE}/permits`
