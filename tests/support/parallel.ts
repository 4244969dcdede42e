/** Runs the same work several times at once. */
export async function inParallel(workers: number, work: (worker: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: workers }, (_none, worker) => work(worker)))
}

const WORKERS = 8

/** Does the work for each number below `count`, a few at once. */
export function repeatInParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  return inParallel(Math.min(WORKERS, count), async () => {
    while (next < count) await work(next++)
  })
}
