/** A detector has used more time on a document than it may. */
export class OutOfTime extends Error {}

/** The first versions of Node 22 know only that of the process: no thread has used more of it. */
const cpuUsage = process.threadCpuUsage ?? process.cpuUsage

/**
 * A check that throws once more than `ms` of processor time have passed, so that a machine with other work finds the
 * same. A thread has used no more of it than has passed on the clock.
 */
export function limitTime(ms: number): () => void {
  const [startedAt, before] = [performance.now(), cpuUsage()]
  return () => {
    if (performance.now() - startedAt <= ms) return
    const { user, system } = cpuUsage(before)
    if ((user + system) / 1_000 > ms) throw new OutOfTime(`more than ${ms} ms of processor time`)
  }
}
