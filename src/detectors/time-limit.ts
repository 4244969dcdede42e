/** A detector has used more time on a document than it may. */
export class OutOfTime extends Error {}

/**
 * A check that throws once more than `ms` of processor time have passed, so that a machine with other work finds the
 * same. A thread has used no more of it than its process, and no more than has passed on the clock.
 */
export function limitTime(ms: number): () => void {
  const [startedAt, before] = [performance.now(), process.cpuUsage()]
  return () => {
    if (performance.now() - startedAt <= ms) return
    const { user, system } = process.cpuUsage(before)
    if ((user + system) / 1_000 > ms) throw new OutOfTime(`more than ${ms} ms of processor time`)
  }
}
