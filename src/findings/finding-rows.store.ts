import { internalText } from '../kernel/safe-text.ts'
import { IN_NUMBERS } from '../store/builder.ts'
import type { Writer } from '../store/store.ts'
import { type Expiry, findExpiries, findExpiry } from './expiries.store.ts'
import type { FindingSqlRow } from './finding-record.ts'

/** The columns of a `FindingSqlRow`. */
export const findingColumns = `id, asset_id, fp, combo_id, first_detected_at, conf_q, last_detected_at, resolved_at,
  location, excerpt, value_fp, value_id`

const findByAsset = `SELECT ${findingColumns} FROM finding WHERE asset_id = ?`
const findByAssets = `SELECT ${findingColumns} FROM finding
  WHERE asset_id ${IN_NUMBERS}`
const findById = `SELECT ${findingColumns} FROM finding WHERE id = ?`
const findByIds = `SELECT ${findingColumns} FROM finding WHERE id ${IN_NUMBERS}`
const findByFp = `${findByAsset} AND fp = ?`
const findByFps = `SELECT ${findingColumns} FROM finding WHERE (asset_id, fp) IN (
  SELECT CAST(value ->> '$[0]' AS BIGINT), CAST(value ->> '$[1]' AS BIGINT) FROM json_each(?))`
const findLastChange = `SELECT finding_id, at, scan_id FROM status_change WHERE finding_id = ?
  ORDER BY seq DESC LIMIT 1`
const findLastChanges = `SELECT finding_id, at, scan_id FROM status_change s
  WHERE finding_id ${IN_NUMBERS}
    AND seq = (SELECT max(seq) FROM status_change WHERE finding_id = s.finding_id)`

interface LastChangeRow {
  finding_id: number
  at: number
  scan_id: number | null
}

/**
 * Reads the rows of findings in one transaction. Where each read is a round trip to a server, many are read ahead at
 * once; what is changed afterwards has to be forgotten.
 */
export class FindingRows {
  readonly #writer: Writer
  readonly #byAsset = new Map<number, FindingSqlRow[]>()
  /** By asset and `fp`; undefined: there is none. */
  readonly #byFp = new Map<string, FindingSqlRow | undefined>()
  readonly #lastChanges = new Map<number, LastChangeRow | undefined>()
  readonly #byId = new Map<number, FindingSqlRow | undefined>()
  readonly #expiries = new Map<number, Expiry | undefined>()

  constructor(writer: Writer) {
    this.#writer = writer
  }

  /** Reads all findings of several assets, for later calls of `listOfAsset`. */
  readAssets(assetIds: readonly number[]): FindingSqlRow[] {
    const rows = this.#readAll<FindingSqlRow>(findByAssets, assetIds)
    for (const id of assetIds) this.#byAsset.set(id, [])
    for (const row of rows) this.#byAsset.get(row[1])?.push(row)
    return rows
  }

  /** Reads several findings, for later calls of `find` and `lastChange`. */
  readFindings(findings: readonly (readonly [assetId: number, fp: number])[]): FindingSqlRow[] {
    const rows = this.#readAll<FindingSqlRow>(findByFps, findings)
    for (const [assetId, fp] of findings) this.#byFp.set(keyOf(assetId, fp), undefined)
    for (const row of rows) this.#byFp.set(keyOf(row[1], row[2]), row)
    const ids = rows.map(([id]) => id)
    const changes = this.#readAll<[number, number, number | null]>(findLastChanges, ids)
    for (const id of ids) this.#lastChanges.set(id, undefined)
    for (const [finding_id, at, scan_id] of changes) this.#lastChanges.set(finding_id, { finding_id, at, scan_id })
    return rows
  }

  /** Reads several findings and the ends of their decisions, for later calls of `findById` and `expiry`. */
  readByIds(ids: readonly number[]): FindingSqlRow[] {
    const rows = this.#readAll<FindingSqlRow>(findByIds, ids)
    const expiries = findExpiries(this.#writer, ids)
    for (const id of ids) {
      this.#byId.set(id, undefined)
      this.#expiries.set(id, expiries.get(id))
    }
    for (const row of rows) this.#byId.set(row[0], row)
    return rows
  }

  #readAll<Row>(sql: string, values: readonly unknown[]): Row[] {
    return this.#writer
      .prepare(sql)
      .raw()
      .all(internalText(JSON.stringify(values))) as Row[]
  }

  /** Rows that were read ahead are returned once. */
  listOfAsset(assetId: number): FindingSqlRow[] {
    const rows = this.#byAsset.get(assetId) ?? this.#writer.prepare(findByAsset).raw().all(assetId)
    this.#byAsset.delete(assetId)
    return rows as FindingSqlRow[]
  }

  find(assetId: number, fp: number): FindingSqlRow | undefined {
    const key = keyOf(assetId, fp)
    if (this.#byFp.has(key)) return this.#byFp.get(key)
    return this.#writer.prepare(findByFp).raw().get(assetId, fp) as FindingSqlRow | undefined
  }

  findById(id: number): FindingSqlRow | undefined {
    if (this.#byId.has(id)) return this.#byId.get(id)
    return this.#writer.prepare(findById).raw().get(id) as FindingSqlRow | undefined
  }

  /** When the decision on a finding ends. */
  expiry(findingId: number): Expiry | undefined {
    return this.#expiries.has(findingId) ? this.#expiries.get(findingId) : findExpiry(this.#writer, findingId)
  }

  /** The last change of status of a finding. */
  lastChange(findingId: number): LastChangeRow | undefined {
    if (this.#lastChanges.has(findingId)) return this.#lastChanges.get(findingId)
    return this.#writer.prepare(findLastChange).get(findingId) as LastChangeRow | undefined
  }

  /** To be called before a finding is inserted or changed. */
  forget({ assetId, fp, id }: { assetId: number; fp: number; id?: number }): void {
    this.#byAsset.delete(assetId)
    if (id !== undefined) this.#byId.delete(id)
    if (this.#byFp.size > 0) this.#byFp.delete(keyOf(assetId, fp))
  }

  /** To be called before the history of a finding, or the end of its decision, is changed. */
  forgetChanges(findingId: number): void {
    this.#lastChanges.delete(findingId)
    this.#expiries.delete(findingId)
  }
}

const keyOf = (assetId: number, fp: number) => `${assetId} ${fp}`
