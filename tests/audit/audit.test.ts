import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  anchorAudit,
  appendRefusal,
  type RefusedAccess,
  recordAccess,
  recordSettings,
} from '../../src/access/record.ts'
import { appendAudit, listAuditRows } from '../../src/audit/audit.store.ts'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { createLog, silentLog } from '../../src/runtime/log.ts'
import { NOON, openStore } from '../support/context.ts'
import { sqliteOnly } from '../support/new-store.ts'

let kept: ReturnType<typeof openStore>
let direct: Database.Database
beforeEach(() => {
  kept = openStore(() => NOON)
  for (let n = 1; n <= 6; n++) {
    kept.store.write((writer) =>
      appendAudit(
        writer,
        { name: `person ${n}`, ...(n % 2 === 0 ? { id: `token/${n}` } : {}), via: 'cli', at: NOON + n },
        { action: 'update', kind: 'term', name: `term-${n}`, before: { n }, after: { n: n + 1 } },
      ),
    )
  }
  direct = new Database(kept.file)
  for (const trigger of direct
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name LIKE 'audit%'")
    .pluck()
    .all()) {
    direct.exec(`DROP TRIGGER "${trigger}"`)
  }
})
afterEach(() => {
  direct.close()
  kept.remove()
})

const verdict = (head?: string) => kept.store.read((reader) => verifyAudit(reader, head))
/** Does something behind our back, looks, and takes it back. */
const afterwards = <T>(sql: string, look: () => T): T => {
  direct.exec('PRAGMA wal_checkpoint')
  const backup = direct.prepare('SELECT * FROM audit').all()
  const chain = direct.prepare('SELECT * FROM audit_chain').all()
  direct.exec(sql)
  const seen = look()
  direct.exec('DELETE FROM audit; DELETE FROM audit_chain')
  for (const [table, rows] of [
    ['audit', backup],
    ['audit_chain', chain],
  ] as const) {
    for (const row of rows as Record<string, unknown>[]) {
      const names = Object.keys(row)
      direct.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`).run(...Object.values(row))
    }
  }
  return seen
}
const numbers = () => direct.prepare('SELECT seq FROM audit ORDER BY seq').pluck().all() as number[]
const columns = ['at', 'actor', 'actor_id', 'via', 'client', 'proposal', 'action', 'kind', 'name', 'before', 'after']

describe('the audit trail', () => {
  sqliteOnly('it changes the file behind the store')

  it('detects an edit of any field of any entry', () => {
    expect(verdict().brokenAt).toBeUndefined()
    for (const seq of numbers()) {
      for (const column of columns) {
        const value =
          column === 'at' ? 'at + 1' : /before|after/.test(column) ? `'[1]'` : `coalesce("${column}", '') || 'x'`
        const seen = afterwards(`UPDATE audit SET "${column}" = ${value} WHERE seq = ${seq}`, () => verdict().brokenAt)
        expect(seen, `${column} of ${seq}`).toBe(seq)
      }
    }
    expect(verdict().brokenAt).toBeUndefined()
  })

  it('detects a removed entry, with or without its link in the chain', () => {
    const all = numbers()
    for (const seq of all) {
      expect(
        afterwards(`DELETE FROM audit WHERE seq = ${seq}`, () => verdict().brokenAt),
        String(seq),
      ).toBe(seq)
      if (seq === all.at(-1)) continue
      const both = `DELETE FROM audit WHERE seq = ${seq}; DELETE FROM audit_chain WHERE seq = ${seq}`
      expect(
        afterwards(both, () => verdict().brokenAt),
        String(seq),
      ).toBeDefined()
    }
  })

  it('detects reordered entries', () => {
    const all = numbers()
    for (const seq of all.slice(0, -1)) {
      for (const tables of [['audit'], ['audit', 'audit_chain']]) {
        const swap = tables
          .map(
            (table) =>
              `UPDATE ${table} SET seq = -1 WHERE seq = ${seq}; UPDATE ${table} SET seq = ${seq} WHERE seq = ${seq + 1}; UPDATE ${table} SET seq = ${seq + 1} WHERE seq = -1;`,
          )
          .join('')
        expect(
          afterwards(swap, () => verdict().brokenAt),
          `${seq} ${tables}`,
        ).toBeDefined()
      }
    }
  })

  it('detects an inserted entry', () => {
    const put = `INSERT INTO audit (seq, at, actor, via, action, kind, name) VALUES (%, 1, 'a', 'cli', 'x', 'y', 'z')`
    for (const seq of [...numbers().map((each) => -each), 0]) {
      expect(
        afterwards(put.replace('%', String(seq)), () => verdict().brokenAt),
        String(seq),
      ).toBeDefined()
    }
  })

  it('no longer contains an earlier head after its last entries are removed', () => {
    const { head } = verdict()
    expect(verdict(head)).toMatchObject({ known: true, head })
    const last = numbers().at(-1)
    const cut = `DELETE FROM audit WHERE seq = ${last}; DELETE FROM audit_chain WHERE seq = ${last}`
    expect(afterwards(cut, () => verdict(head))).toMatchObject({ known: false })
  })

  it('is chained back to the installation when a server starts, and its head is logged', () => {
    const fresh = openStore(() => NOON)
    const lines: string[] = []
    expect(fresh.store.read((reader) => verifyAudit(reader)).unchained).toBeGreaterThan(0)
    anchorAudit({
      store: fresh.store,
      log: createLog({ level: 'info', write: (line) => lines.push(line), now: () => NOON }),
    })
    const { unchained, head } = fresh.store.read((reader) => verifyAudit(reader))
    expect(unchained).toBe(0)
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: 'audit_anchor', head }])
    fresh.remove()
  })
})

describe('the record of access', () => {
  const rows = (kind: string) => kept.store.read((reader) => listAuditRows(reader, { kind, limit: 500 }))

  it('records each kind of refusal once a minute, and only a few of a flood', () => {
    let clock = 0
    const trail = { store: kept.store, log: silentLog, now: () => NOON }
    const append = (refused: RefusedAccess) => appendRefusal(trail, refused)
    const record = recordAccess({ append, log: silentLog, clock: () => clock })
    for (let n = 0; n < 10; n++) record.refuse({ reason: 'token_invalid', address: '10.0.0.1' })
    expect(rows('access')).toMatchObject([{ action: 'refuse', name: 'token_invalid', actor: 'assay' }])
    clock = 60_000
    record.refuse({ reason: 'token_invalid', address: '10.0.0.1' })
    expect(rows('access')).toHaveLength(2)
    for (let n = 0; n < 1000; n++) record.refuse({ reason: 'token_invalid', address: `10.0.${n >> 8}.${n & 255}` })
    expect(rows('access').length).toBeLessThanOrEqual(32)
  })

  it('records changed settings with their previous values', () => {
    const open = { store: kept.store, log: silentLog, now: () => NOON }
    recordSettings(open, { host: '127.0.0.1' })
    recordSettings(open, { host: '127.0.0.1' })
    recordSettings(open, { host: '0.0.0.0' })
    expect(rows('settings').map(({ before, after }) => [before, after])).toEqual([
      ['{"host":"127.0.0.1"}', '{"host":"0.0.0.0"}'],
      [null, '{"host":"127.0.0.1"}'],
    ])
    expect(verdict().brokenAt).toBeUndefined()
  })
})
