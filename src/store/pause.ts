const nothing = new Int32Array(new SharedArrayBuffer(4))

/** Stops this thread for so long: what opens and locks a database is synchronous. */
export function pause(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms)
}
