export type Place = 'reading' | 'accepted' | 'storing' | 'publishing' | 'published'
export interface Progress {
  files: number
  scans: number
  completed: number
  pending: number
  stored: number
  waiting: number
  /** Another one with each driver. */
  token: number
}
export const places: readonly Place[]
export const selectProgress: string
export function placeOf(progress: Progress, before: Progress): Place | undefined
