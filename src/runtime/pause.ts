const nothing = new Int32Array(new SharedArrayBuffer(4))

/** Blocks this thread for `ms` milliseconds: opening and locking a database is synchronous. */
export function sleepSync(ms: number): void {
  Atomics.wait(nothing, 0, 0, ms)
}
