import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Starts a worker on a TypeScript source. In a file of its own, in whose place tests have one that starts bundles. */
export const startSourceWorker = (source: URL, options: WorkerOptions): Worker => new Worker(source, options)
