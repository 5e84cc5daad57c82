export interface Permit {
  id: string
  plate: string
  zone: string
  validUntil: string
}

export type PermitRequest = {
  plate: string
  zone: string
  months: number
}

export interface Zone {
  code: string
  spaces: string
}
