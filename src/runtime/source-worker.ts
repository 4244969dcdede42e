import { Worker, type WorkerOptions } from 'node:worker_threads'

/** Starts a worker on a TypeScript source; it registers tsx first (Node 20 does not pass loader hooks on to workers). */
export function startSourceWorker(source: URL, options: Omit<WorkerOptions, 'eval'>): Worker {
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const code = `import(${loader}).then((tsx) => { tsx.register(); return import(${JSON.stringify(source.href)}) })`
  return new Worker(code, { ...options, eval: true })
}
