import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/** True when the sources run as they are, as in tests; false for the built program. */
const runsFromSource = import.meta.url.endsWith('.ts')

function findRoot(): URL {
  for (let folder = new URL('../kernel/', import.meta.url); ; folder = new URL('../', folder)) {
    if (existsSync(new URL('package.json', folder))) return folder
    if (folder.pathname === '/' || folder.href === new URL('../', folder).href) {
      throw new Error('package.json is not where the program is; install it again.')
    }
  }
}

const root = findRoot()

/** A file or folder that the package ships, such as `migrations/sqlite/`. */
export const packageFile = (path: string): URL => new URL(path, root)

/** Reads an installed package at the moment it is needed, for what is large and seldom used. */
export const requirePackage = createRequire(import.meta.url)

/** The version in package.json. */
export const version: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version

/** A text that the build wrote beside the program; undefined when the sources run as they are. */
export function readBuilt(path: string): string | undefined {
  const file = packageFile(`dist/${path}`)
  return runsFromSource || !existsSync(file) ? undefined : readFileSync(file, 'utf8')
}

/**
 * Starts a thread on a script that is named by its path below `src`, without its ending: `detectors/detect.worker`.
 * Built code runs as it is; from the sources a worker is first taught to read TypeScript (Node 20 passes no hooks on).
 */
export function startWorker(script: string, options: Omit<WorkerOptions, 'eval'> = {}): Worker {
  if (!runsFromSource) return new Worker(packageFile(`dist/${script}.js`), options)
  const source = packageFile(`src/${script}.ts`).href
  const loader = JSON.stringify(import.meta.resolve('tsx/esm/api'))
  const code = `import(${loader}).then((tsx) => { tsx.register(); return import(${JSON.stringify(source)}) })`
  return new Worker(code, { ...options, eval: true })
}
