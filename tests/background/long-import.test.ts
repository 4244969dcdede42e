import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createScanThread } from '../../src/background/scan-thread.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { createLog } from '../../src/runtime/log.ts'
import { findActiveScan } from '../../src/scans/scans.store.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { importLine } from '../support/import-line.ts'
import { openNewFile } from '../support/new-store.ts'

const builtScript = new URL('../../dist/background/scan.worker.js', import.meta.url)
const BLOCKED_MS = 2_500
const STALL_MS = 1_500
/** Takes as long to store an import as if it had millions of findings. */
const slowScript = new URL(
  `data:text/javascript,${encodeURIComponent(`
    const { default: Database } = await import(${JSON.stringify(import.meta.resolve('better-sqlite3'))})
    const { prepare } = Database.prototype
    Database.prototype.prepare = function (sql) {
      if (sql.startsWith('INSERT INTO main.finding')) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${BLOCKED_MS})
      }
      return prepare.call(this, sql)
    }
    await import(${JSON.stringify(builtScript.href)})
  `)}`,
)

it('an accepted import that blocks its thread for longer than a scan may is completed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-long-import-'))
  const now = () => Date.now()
  const store = openNewFile(join(home, 'assay.db'), now)
  const vault = openVault({ store, home, env: {}, now })
  const lines: string[] = []
  const writeLine = (line: string) => void lines.push(line)
  const log = createLog({ level: 'info', write: writeLine, now })
  const findAccepted = () => store.read((reader) => findActiveScan(reader, 1))
  /** The process dies once the file was accepted. */
  const dying = new Proxy(store, {
    get: (target, name) => {
      if (name === 'write' && findAccepted() !== undefined) throw new Error('the process has died')
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  async function* stream() {
    yield Buffer.from(importLine('a'))
  }
  const caller = { name: 'ada', via: 'cli' as const, scopes: new Set<never>() }
  const context = { store: dying, vault, log, now, signal: new AbortController().signal, caller }
  await expect(importFindings(stream(), { source: 'yara', format: 'ndjson' }, context)).rejects.toThrow('has died')
  const { promise: settled, resolve: onSettled } = Promise.withResolvers<string>()
  const place = { store, home, env: {}, log, logLevel: 'info' as const, writeLine, now }
  const thread = createScanThread({ ...place, script: slowScript, stallMs: STALL_MS, checkMs: 50, onSettled })
  thread.start(findAccepted()?.uid ?? '')
  const uid = await settled
  expect(store.read((reader) => reader.prepare('SELECT status, reason FROM scan WHERE uid = ?').get(uid))).toEqual({
    status: 'COMPLETED',
    reason: null,
  })
  expect(lines).toEqual([])
  await thread.close()
  store.close()
  rmSync(home, { recursive: true, force: true })
}, 60_000)
