import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { Worker } from 'node:worker_threads'

// Starts and ends each kind of worker thread of the program many times, while garbage is collected, which is when native
// code once ended the process. Runs under the Node.js that is tried: node --expose-gc threads.ts DIST HOME TIMES

const [dist = '', home = '', times = '100'] = process.argv.slice(2)
const AT_ONCE = 4

/** What each thread needs beyond the data folder. A kind that is missing here fails. */
const kinds: Readonly<Record<string, object>> = {
  'background/query.worker.js': {},
  'background/scan.worker.js': { owner: 'smoke', processMark: 'smoke' },
  'commands/database.worker.js': {},
  'documents/office/pdf.worker.js': {},
  'imports/stage/import.worker.js': {},
  'store/postgres/connection.worker.js': { ended: new Int32Array(new SharedArrayBuffer(4)) },
}

const common = {
  home,
  place: { kind: 'file', file: join(home, 'assay.db') },
  keys: {},
  logLevel: 'silent',
  proxy: {},
  settings: { lockdown: false, lockdownCodes: false, readOnly: false, webhookHosts: [] },
  fingerprintKey: new Uint8Array(32),
  masked: [],
}

/**
 * Ends a thread as the program does: by request, and at once when it has said that it stopped. One that is terminated
 * while it loads the native module of SQLite would abort the process.
 */
async function startAndEnd(script: string): Promise<void> {
  const worker = new Worker(join(dist, script), { workerData: { ...common, ...kinds[script] }, stdout: true })
  worker.stdout.resume()
  let failure: unknown
  worker.on('error', (error) => {
    failure = error
  })
  worker.on('message', ({ kind }: { kind: string }) => {
    if (kind === 'stopped') void worker.terminate()
  })
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  // The thread of a connection to PostgreSQL has no requests to stop, and no native module.
  if (script.startsWith('store/postgres/')) await worker.terminate()
  else worker.postMessage({ kind: 'stop' })
  await exited
  gc?.()
  if (failure !== undefined) throw failure
}

const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.worker.js'))
  .map((path) => path.replaceAll(sep, '/'))
const unknown = scripts.filter((script) => kinds[script] === undefined)
if (unknown.length > 0 || scripts.length === 0) throw new Error(`No workerData is known for: ${unknown.join(', ')}`)
for (const script of scripts) {
  const rounds = Array.from({ length: Number(times) }, (_, round) => round).values()
  const take = async () => {
    for (const _ of rounds) await startAndEnd(script)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, take))
}
process.stdout.write(`${scripts.length} kinds of threads, each started and ended ${times} times\n`)
