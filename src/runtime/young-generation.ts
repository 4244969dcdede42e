import { setFlagsFromString } from 'node:v8'

let isHeld = false

/** By how much the space for new objects grows at once: 2 is the default of V8, and 1 keeps it as it is. */
export const setYoungGrowth = (factor: 1 | 2): void => setFlagsFromString(`--semi-space-growth-factor=${factor}`)

/**
 * Keeps the space for new objects as small as it is until `letYoungGrow`. V8 would double it up to 32 MB while modules
 * are loaded, and never gives that back to a process without work.
 */
export function keepYoungSmall(): void {
  isHeld = true
  setYoungGrowth(1)
}

/** Called where work begins; the setting is that of the whole process, threads included. */
export function letYoungGrow(): void {
  if (!isHeld) return
  isHeld = false
  setYoungGrowth(2)
}
