export type Place = 'reading' | 'accepted' | 'completed'

export interface Progress {
  files: number
  scans: number
  completed: number
  token: number | null
}

export const places: readonly Place[]
export const selectProgress: string
export function placeOf(progress: Progress, before: Progress): Place | undefined
