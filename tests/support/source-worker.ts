import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Where `built-workers.ts` writes the workers of `src`. */
export const builtWorkers = new URL('../../node_modules/.cache/assay-workers/', import.meta.url)

/** In the place of `src/runtime/source-worker.ts`: a bundle starts in a fraction of the time that its sources take. */
export function startSourceWorker(source: URL, options: Omit<WorkerOptions, 'eval'>): Worker {
  const [, script] = /\/src\/(.*)\.ts$/.exec(source.pathname) ?? []
  return new Worker(new URL(`${script}.js`, builtWorkers), options)
}
