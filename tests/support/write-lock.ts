import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { LOCK_TIMEOUT_MS } from '../../src/store/connection.ts'

const script = `
  const { parentPort, workerData: { driver, file, ms } } = require('node:worker_threads')
  const Database = require(driver)
  const database = new Database(file)
  database.exec('BEGIN IMMEDIATE')
  parentPort.postMessage('locked')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
  database.exec('COMMIT')
  database.close()
`

/** Holds the write lock of a database, as a long import does, for longer than a write waits. Resolves once it is held. */
export async function lockForLong(file: string | undefined): Promise<void> {
  const driver = fileURLToPath(import.meta.resolve('better-sqlite3'))
  const workerData = { driver, file, ms: LOCK_TIMEOUT_MS + 1_500 }
  await once(new Worker(script, { eval: true, workerData, execArgv: [] }), 'message')
}
