import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** False also for a process that has ended and only waits for somebody to ask how. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** Milliseconds that a process was ready to run and no core was free for it; 0 where the system does not count them. */
export function waitedMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}

/**
 * Those of the processes that are still there after a while, in which the time they waited for a core does not count.
 */
export async function listLeft(pids: readonly number[], withinMs: number): Promise<number[]> {
  const from = performance.now()
  const waitedBefore = new Map(pids.map((pid) => [pid, waitedMs(pid)]))
  const isLate = (pid: number) =>
    performance.now() - from - (waitedMs(pid) - (waitedBefore.get(pid) ?? 0)) > withinMs && isAlive(pid)
  const left: number[] = []
  let open = [...pids]
  while (open.length > 0) {
    left.push(...open.filter(isLate))
    open = open.filter((pid) => isAlive(pid) && !left.includes(pid))
    await sleep(50)
  }
  return left
}
