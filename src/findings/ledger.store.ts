import { internalText, ownText, type SafeText } from '../kernel/safe-text.ts'
import { presenceCodes, statusCodes } from '../store/schema.ts'
import type { Writer } from '../store/store.ts'
import { hasDueExpiry, noteEvidence, removeExpiry, saveExpiry } from './expiries.store.ts'
import { ChangeEncoder, type FacetChange } from './facet-log.ts'
import { type FacetDictionary, type Facets, openFacets } from './facets.store.ts'
import {
  type FindingChange,
  type FindingPatch,
  type FindingRecord,
  type FindingSqlRow,
  type NewFinding,
  NO_SCAN,
  toRecord,
} from './finding-record.ts'
import { FindingRows, findingColumns } from './finding-rows.store.ts'
import { KEPT_LOG_ROWS, markLogReset } from './log.store.ts'
import { type FindingStatus, isDecided, type Presence } from './model.ts'
import {
  countNew,
  insertStaged,
  listChanging,
  listNewEntries,
  listNewOpen,
  listUpdated,
  type StagedFindings,
  takeServerId,
  updateSeen,
} from './staged-findings.store.ts'

const insertFinding = `INSERT INTO main.finding (${findingColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const insertLog = 'INSERT INTO facet_log (at, n, delta) VALUES (?, ?, ?)'
const insertPresence = `INSERT INTO main.presence_change (finding_id, seq, at, presence)
  SELECT @id, coalesce(max(seq), 0) + 1, max(CAST(@at AS BIGINT), coalesce(max(at), @at)), @presence
  FROM main.presence_change WHERE finding_id = @id`
const shortenLog = `DELETE FROM facet_log
  WHERE seq <= (SELECT CASE WHEN max(seq) % 256 = 0 THEN max(seq) - ${KEPT_LOG_ROWS} END FROM facet_log)`
/** The members of a row that may change besides its facets. */
const changing = ['confidence', 'lastDetectedAt', 'resolvedAt', 'location', 'excerpt', 'valueFp', 'valueId'] as const

interface LedgerOptions {
  /** False: no engine follows the log; it gets one entry to rebuild instead of the changes. */
  isFollowed?: boolean
}

/**
 * Writes findings in one transaction: rows, status history, counts by combination, and the change log that derived
 * indexes follow. Every write of a finding goes through it.
 */
export class FindingLedger {
  readonly facets: FacetDictionary
  /** Findings that a scan or import has opened in this transaction. */
  readonly opened: number[] = []
  readonly #writer: Writer
  readonly #at: number
  readonly #changes = new ChangeEncoder()
  /** Change of the count of each combination. */
  readonly #counts = new Map<number, number>()
  readonly #isFollowed: boolean
  /** Whether some decision is due to end. */
  readonly #hasDue: boolean
  readonly #rows: FindingRows
  #nextId: number | undefined

  private constructor(writer: Writer, at: number, { isFollowed = true }: LedgerOptions) {
    this.#writer = writer
    this.#rows = new FindingRows(writer)
    this.#at = at
    this.#isFollowed = isFollowed
    this.#hasDue = hasDueExpiry(writer, at)
    this.facets = openFacets(writer)
  }

  /** Runs `work` with a ledger for the transaction of `writer`, then writes its log row and counts. */
  static keep<T>(writer: Writer, at: number, work: (ledger: FindingLedger) => T, options: LedgerOptions = {}): T {
    const ledger = new FindingLedger(writer, at, options)
    const result = work(ledger)
    ledger.#close()
    return result
  }

  /** Reads the findings of several assets at once, for later calls of `listOfAsset`. */
  readAhead(assetIds: readonly number[]): void {
    this.facets.readAhead(this.#rows.readAssets(assetIds).map((row) => row[3]))
  }

  /** Reads several findings at once, for later calls of `find`, `insertIfNew` and `lastDecision`. */
  readAheadByFp(findings: readonly (readonly [assetId: number, fp: number])[]): void {
    this.facets.readAhead(this.#rows.readFindings(findings).map((row) => row[3]))
  }

  /** Reads several findings at once, for later calls of `findById` and `endOf`. */
  readAheadById(ids: readonly number[]): void {
    this.facets.readAhead(this.#rows.readByIds(ids).map((row) => row[3]))
  }

  listOfAsset(assetId: number): FindingRecord[] {
    return this.#rows.listOfAsset(assetId).map((row) => this.#endDecision(toRecord(row, this.facets)))
  }

  find(assetId: number, fp: number): FindingRecord | undefined {
    return this.#toRecordIfAny(this.#rows.find(assetId, fp))
  }

  findById(id: number): FindingRecord | undefined {
    return this.#toRecordIfAny(this.#rows.findById(id))
  }

  /** @throws if the asset has the finding already, at the latest when the transaction is committed */
  insert(finding: NewFinding): number {
    this.#rows.forget(finding)
    const id = this.#allocateId()
    const comboId = this.facets.comboId(finding.facets)
    const { assetId, fp, firstDetectedAt, confidence, lastDetectedAt, resolvedAt, location, excerpt } = finding
    this.#writer
      .prepare(insertFinding)
      .run(
        ...[id, assetId, fp, comboId, firstDetectedAt, confidence, lastDetectedAt, resolvedAt, location, excerpt],
        finding.valueFp ?? null,
        finding.valueId ?? null,
      )
    if (finding.facets.status === 'OPEN') this.opened.push(id)
    this.#log(id, finding, 0, 0, comboId, confidence)
    return id
  }

  /**
   * Inserts the findings of an import that their assets do not have; those that are resolved get their first history
   * entry. Updates the others if only their last detection and excerpt differ, and returns the places in the file of all
   * lines that change more, to be applied one by one.
   */
  insertStaged(staged: StagedFindings): { added: number; resolved: number; changed: number[] } {
    const { sourceId } = staged
    const first = takeServerId(this.#writer) ?? this.#allocateId()
    const { added, resolved } = insertStaged(this.#writer, staged, first)
    if (this.#nextId !== undefined) this.#nextId = first + added
    for (const [comboId, count] of countNew(this.#writer, sourceId, first)) this.#count(comboId, count)
    for (const id of listNewOpen(this.#writer, sourceId, first)) this.opened.push(id)
    if (this.#isFollowed) {
      for (const [findingId, assetId, firstDetectedAt, comboId, confidence] of listNewEntries(
        this.#writer,
        sourceId,
        first,
      ))
        this.#addChange(findingId, { assetId, firstDetectedAt }, { toCombo: comboId, toConfidence: confidence })
    }
    if (added === staged.lines) return { added, resolved, changed: [] }
    const options = { first, at: this.#at }
    if (this.#isFollowed) {
      for (const [id, assetId, firstDetectedAt, combo, confidence] of listUpdated(this.#writer, staged, options))
        this.#log(id, { assetId, firstDetectedAt }, combo, confidence, combo, confidence)
    } else {
      updateSeen(this.#writer, staged, options)
    }
    return { added, resolved, changed: listChanging(this.#writer, staged, options) }
  }

  /** Writes only if something differs; returns whether it did. */
  update(before: FindingRecord, patch: FindingPatch): boolean {
    const { facets = before.facets } = patch
    const comboId = facets === before.facets ? before.comboId : this.facets.comboId(facets)
    const isSame = (key: (typeof changing)[number]) => patch[key] === undefined || patch[key] === before[key]
    if (comboId === before.comboId && changing.every(isSame)) return false
    const after = { ...before, ...patch }
    if (comboId !== before.comboId && isDecided(facets.status) && this.#rows.expiry(before.id) !== undefined) {
      this.#keepCombosAfter(facets)
    }
    this.#rows.forget(before)
    this.#writer
      .prepare(
        `UPDATE main.finding SET combo_id = ?, conf_q = ?, last_detected_at = ?, resolved_at = ?, location = ?, excerpt = ?,
           value_fp = ?, value_id = ?
         WHERE asset_id = ? AND fp = ?`,
      )
      .run(
        comboId,
        after.confidence,
        after.lastDetectedAt,
        after.resolvedAt,
        after.location,
        after.excerpt,
        after.valueFp,
        after.valueId,
        before.assetId,
        before.fp,
      )
    if (facets.presence !== before.facets.presence) this.#notePresence(before.id, facets.presence)
    const isCounted = comboId !== before.comboId || after.confidence !== before.confidence
    const isDated = after.resolvedAt !== before.resolvedAt || after.lastDetectedAt !== before.lastDetectedAt
    if (isCounted || isDated || after.valueId !== before.valueId) {
      this.#log(before.id, before, before.comboId, before.confidence, comboId, after.confidence)
    }
    return true
  }

  /** Changes the status of a finding and appends to its history; `patch` is written with it. */
  changeStatus(before: FindingRecord, change: FindingChange, patch: FindingPatch = {}): void {
    const from = before.facets.status
    const resolvedAt = change.to === 'RESOLVED' ? (change.resolvedAt ?? change.at) : null
    this.update(before, { resolvedAt, ...patch, facets: { ...(patch.facets ?? before.facets), status: change.to } })
    this.appendHistory(before.id, from, change)
    if (isDecided(from)) removeExpiry(this.#writer, before.id)
    if (change.until !== undefined) {
      this.#keepCombosAfter({ ...before.facets, ...patch.facets })
      saveExpiry(this.#writer, before.id, change.until)
    }
    if (change.to === 'OPEN' && (change.scanId ?? NO_SCAN) !== NO_SCAN) this.opened.push(before.id)
  }

  /** The combinations that readers may need before the end of a decision is recorded. */
  #keepCombosAfter(facets: Facets): void {
    for (const status of ['OPEN', 'RESOLVED'] as const) this.facets.comboId({ ...facets, status })
  }

  /** Records the end of a decision that is due, and returns the finding as it is then. */
  #endDecision(finding: FindingRecord): FindingRecord {
    if (!this.#hasDue || !isDecided(finding.facets.status)) return finding
    const expiry = this.#rows.expiry(finding.id)
    if (expiry === undefined || expiry.at > this.#at) return finding
    const { at, to } = expiry
    this.changeStatus(finding, { at, to, actor: ownText('assay'), reason: ownText('expired'), scanId: NO_SCAN })
    return this.findById(finding.id) ?? finding
  }

  #notePresence(id: number, presence: Presence): void {
    this.#writer.prepare(insertPresence).run({ id, at: this.#at, presence: presenceCodes[presence] })
  }

  appendHistory(findingId: number, from: FindingStatus, change: FindingChange): void {
    const { at, to, actor, reason, scanId, via, client, until, resolvedAt } = change
    this.#rows.forgetChanges(findingId)
    this.#writer
      .prepare(
        `INSERT INTO main.status_change (finding_id, seq, at, from_status, to_status, actor, reason, scan_id, via, client, until,
           resolved_at)
         SELECT @id, coalesce(max(seq), 0) + 1, max(CAST(@at AS BIGINT), coalesce(max(at), @at)), @from, @to, @actor, @reason, @scan_id,
           @via, @client, @until, @resolved_at
         FROM main.status_change WHERE finding_id = @id`,
      )
      .run({
        id: findingId,
        at,
        from: statusCodes[from],
        to: statusCodes[to],
        actor,
        reason: reason ?? null,
        scan_id: scanId ?? null,
        via: via ?? null,
        client: client ?? null,
        until: until ?? null,
        resolved_at: resolvedAt ?? null,
      })
  }

  /** Corrects the time of a resolution as the source of an import reports it; a person's change is never touched. */
  correctResolution(before: FindingRecord, at: number): void {
    const { id, comboId, confidence } = before
    this.#rows.forgetChanges(id)
    const { changes } = this.#writer
      .prepare(
        `UPDATE main.status_change SET at = @at WHERE finding_id = @id AND at <> @at AND to_status = @resolved AND scan_id IS NOT NULL
           AND seq = (SELECT max(seq) FROM status_change WHERE finding_id = @id)
           AND NOT EXISTS (SELECT 1 FROM status_change s WHERE s.finding_id = @id AND s.seq < status_change.seq AND s.at > @at)`,
      )
      .run({ id, at, resolved: statusCodes.RESOLVED })
    if (changes > 0) this.#log(id, before, comboId, confidence, comboId, confidence, true)
  }

  /**
   * When a finding was resolved that has not been open since, or, for an undo, only by its last change; undefined if it
   * was not.
   */
  formerResolution(findingId: number, isUndo: boolean): number | undefined {
    return this.#writer
      .prepare(
        `SELECT coalesce(r.resolved_at, r.at) FROM status_change r WHERE r.finding_id = @id AND r.to_status = @resolved
           AND NOT EXISTS (SELECT 1 FROM status_change o
             WHERE o.finding_id = r.finding_id AND o.seq > r.seq AND o.to_status = @open AND (@undo = 0
               OR o.seq < (SELECT max(seq) FROM status_change WHERE finding_id = @id)))
         ORDER BY r.seq DESC LIMIT 1`,
      )
      .pluck()
      .get({ id: findingId, resolved: statusCodes.RESOLVED, open: statusCodes.OPEN, undo: isUndo ? 1 : 0 }) as
      | number
      | undefined
  }

  /** Who made the last change of status, a person or else a scan, import or due end; undefined if there was none. */
  lastDecision(findingId: number): { by: 'person' | 'scan'; at: number } | undefined {
    const row = this.#rows.lastChange(findingId)
    return row === undefined ? undefined : { by: row.scan_id === null ? 'person' : 'scan', at: row.at }
  }

  /** When the decision on a finding ends by itself; undefined: never. */
  endOf(findingId: number): number | undefined {
    return this.#rows.expiry(findingId)?.at
  }

  /** Records whether a complete detection run on its asset has found a decided finding. */
  noteEvidence(findingId: number, isGone: boolean): void {
    this.#rows.forgetChanges(findingId)
    noteEvidence(this.#writer, findingId, isGone)
  }

  /** The actor of the last change of status, and the reason. */
  lastChange(findingId: number): { actor: SafeText; reason: SafeText | null } | undefined {
    return this.#writer
      .prepare('SELECT actor, reason FROM status_change WHERE finding_id = ? ORDER BY seq DESC LIMIT 1')
      .get(findingId) as { actor: SafeText; reason: SafeText | null } | undefined
  }

  #toRecordIfAny(row: unknown): FindingRecord | undefined {
    return row === undefined ? undefined : this.#endDecision(toRecord(row as FindingSqlRow, this.facets))
  }

  /** Ids are never reused, not even those of removed findings. */
  #allocateId(): number {
    if (this.#writer.takeFindingId !== undefined) return this.#writer.takeFindingId()
    if (this.#nextId === undefined) {
      const row = this.#writer
        .prepare(
          `SELECT max(coalesce((SELECT CAST(value AS BIGINT) FROM install WHERE name = 'last_finding_id'), 0),
             coalesce((SELECT max(id) FROM main.finding), 0)) AS id`,
        )
        .get() as { id: number }
      this.#nextId = row.id + 1
    }
    return this.#nextId++
  }

  #log(
    findingId: number,
    { assetId, firstDetectedAt }: Pick<FindingRecord, 'assetId' | 'firstDetectedAt'>,
    fromCombo: number,
    fromConfidence: number,
    toCombo: number,
    toConfidence: number,
    isRewritten = false,
  ): void {
    if (this.#isFollowed) {
      this.#addChange(
        findingId,
        { assetId, firstDetectedAt },
        { fromCombo, fromConfidence, toCombo, toConfidence, isRewritten },
      )
    }
    if (fromCombo !== toCombo) {
      this.#count(fromCombo, -1)
      this.#count(toCombo, 1)
    }
  }

  #addChange(
    findingId: number,
    { assetId, firstDetectedAt }: Pick<FindingRecord, 'assetId' | 'firstDetectedAt'>,
    {
      fromCombo = 0,
      fromConfidence = 0,
      isRewritten = false,
      ...to
    }: Partial<FacetChange> & Pick<FacetChange, 'toCombo' | 'toConfidence'>,
  ): void {
    this.#changes.add({ findingId, assetId, firstDetectedAt, fromCombo, fromConfidence, ...to, isRewritten })
    if (this.#changes.isFull) this.#flush()
  }

  #count(comboId: number, by: number): void {
    if (comboId !== 0) this.#counts.set(comboId, (this.#counts.get(comboId) ?? 0) + by)
  }

  #flush(): void {
    const { size } = this.#changes
    if (size === 0) return
    const delta = this.#changes.take()
    this.#writer.prepare(insertLog).run(this.#at, size, delta)
    this.#writer.prepare(shortenLog).run()
  }

  #close(): void {
    this.#flush()
    if (!this.#isFollowed) markLogReset(this.#writer, this.#at)
    const count = this.#writer.prepare('UPDATE main.combo SET n = n + ? WHERE id = ?')
    for (const [comboId, by] of this.#counts) if (by !== 0) count.run(by, comboId)
    if (this.#nextId === undefined) return
    this.#writer
      .prepare(
        `INSERT INTO install (name, value) VALUES ('last_finding_id', ?)
         ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      )
      .run(internalText(String(this.#nextId - 1)))
  }
}
