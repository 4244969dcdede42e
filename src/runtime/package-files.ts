import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { startSourceWorker } from './source-worker.ts'

/** True when the TypeScript sources run directly, as in tests; false in the built program. */
const runsFromSource = import.meta.url.endsWith('.ts')

function findRoot(): URL {
  for (let folder = new URL('../kernel/', import.meta.url); ; folder = new URL('../', folder)) {
    if (existsSync(new URL('migrations/', folder))) return folder
    if (folder.pathname === '/' || folder.href === new URL('../', folder).href) {
      throw new Error('The folder migrations was not found beside the program; install Assay again.')
    }
  }
}

const root = findRoot()

/** The URL of a file or folder in the package, such as `migrations/sqlite/`. */
export const packageFile = (path: string): URL => new URL(path, root)

/** Loads an installed package when it is needed: for large and rarely used ones. */
export const requirePackage = createRequire(import.meta.url)

export const version: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version

/** A text that the build wrote to `dist`; undefined when the TypeScript sources run directly. */
export function readBuilt(path: string): string | undefined {
  const file = packageFile(`dist/${path}`)
  return runsFromSource || !existsSync(file) ? undefined : readFileSync(file, 'utf8')
}

/** Starts a worker thread on a script, named by its path below `src` without extension: `background/scan.worker`. */
export function startWorker(script: string, options: Omit<WorkerOptions, 'eval'> = {}): Worker {
  if (runsFromSource) return startSourceWorker(packageFile(`src/${script}.ts`), options)
  return new Worker(packageFile(`dist/${script}.js`), options)
}
