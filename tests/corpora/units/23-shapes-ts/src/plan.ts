import type { Point } from './geometry'

interface Room {
  id: string
  label: string
  corners: Point[]
}

export interface Wall {
  from: Point
  to: Point
  material: 'brick' | 'glass' | 'wood'
}

export interface Door {
  wall: string
  width: number
  opensInwards: boolean
}

export interface Window {
  wall: string
  height: number
}

export interface Plan {
  rooms: Array<Room>
  walls: Wall[]
}
