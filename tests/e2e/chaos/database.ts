import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { severityCodes, statusCodes } from '../../../src/store/schema.ts'
import type { StoredFinding } from './model.ts'

/** How long an import may take that another server has to finish: longer than a lease. */
const MAX_WAIT_MS = 180_000

const nameOf = (codes: Readonly<Record<string, number>>, code: number) =>
  Object.keys(codes).find((name) => codes[name] === code) ?? String(code)

const selectFindings = `SELECT f.id::int, a.key AS asset, f.conf_q::int / 100 AS number, t.text AS type, c.text AS category,
    k.severity::int, k.status::int, a.name AS "assetName", coalesce(h.changes, 0)::int AS changes,
    coalesce(h.decided, false) AS "isDecided"
  FROM main.source s JOIN main.asset a ON a.source_id = s.id JOIN main.finding f ON f.asset_id = a.id
    JOIN main.combo k ON k.id = f.combo_id JOIN main.word t ON t.id = k.type_id JOIN main.word c ON c.id = k.category_id
    LEFT JOIN LATERAL (SELECT count(*) AS changes, (array_agg(scan_id IS NULL ORDER BY seq DESC))[1] AS decided
      FROM main.status_change WHERE finding_id = f.id) h ON true
  WHERE s.name = $1`

/** The tables as they are stored, past all servers. */
export class Database {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async open(url: string): Promise<Database> {
    const client = new pg.Client(url)
    // It ends with the server.
    client.on('error', () => {})
    await client.connect()
    return new Database(client)
  }

  async list<Row extends object>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(sql, values)).rows
  }

  async listFindings(source: string): Promise<StoredFinding[]> {
    const rows = await this.list<StoredFinding & { severity: number; status: number }>(selectFindings, [source])
    return rows.map((row) => ({
      ...row,
      severity: nameOf(severityCodes, row.severity),
      status: nameOf(statusCodes, row.status),
    }))
  }

  /** The last imports of a source, newest first. */
  listScans(source: string): Promise<object[]> {
    return this.list(
      `SELECT c.status, c.token::int, to_timestamp(c.created_at / 1000.0) AS created, to_timestamp(c.started_at / 1000.0) AS started,
         to_timestamp(c.finished_at / 1000.0) AS finished, c.findings_again::int AS lines
       FROM main.scan c JOIN main.source s ON s.id = c.source_id WHERE s.name = $1 ORDER BY c.id DESC LIMIT 3`,
      [source],
    )
  }

  async findDescription(term: string): Promise<string> {
    const [row] = await this.list<{ description: string }>('SELECT description FROM main.term WHERE slug = $1', [term])
    return row?.description ?? ''
  }

  /**
   * Waits until nothing that a lost request has begun can still happen: until its import is finished, by whichever
   * server, and the transactions that are under way are over, of which each has the lock of a scope.
   */
  async settle(source: string): Promise<void> {
    const until = performance.now() + MAX_WAIT_MS
    for (;;) {
      await this.#client.query('BEGIN; SELECT FROM main.write_scope ORDER BY name FOR UPDATE; COMMIT')
      const open = await this.list<{ uid: string; status: string; owner: string }>(
        `SELECT c.uid, c.status, c.owner FROM main.scan c JOIN main.source s ON s.id = c.source_id
         WHERE s.name = $1 AND c.status IN ('QUEUED', 'RUNNING')`,
        [source],
      )
      if (open.length === 0) return
      if (performance.now() > until) throw new Error(`an import is not finished: ${JSON.stringify(open)}`)
      await sleep(250)
    }
  }

  close(): Promise<void> {
    return this.#client.end()
  }
}
