import { setFlagsFromString } from 'node:v8'

let isHeld = false

/**
 * Keeps the space for new objects as small as it is until `letYoungGrow`. V8 would double it up to 32 MB while modules
 * are loaded, and never gives that back to a process without work.
 */
export function keepYoungSmall(): void {
  isHeld = true
  setFlagsFromString('--semi-space-growth-factor=1')
}

/** Called where work begins; the setting is that of the whole process, threads included. */
export function letYoungGrow(): void {
  if (!isHeld) return
  isHeld = false
  setFlagsFromString('--semi-space-growth-factor=2')
}
