import { countOpenIn, listAbsent, removeFromScope, type SourceScope } from '../../findings/import-scopes.store.ts'
import type { FindingLedger } from '../../findings/ledger.store.ts'
import { isDecided } from '../../findings/model.ts'
import { conflict } from '../../kernel/errors.ts'
import { ownText } from '../../kernel/safe-text.ts'
import { isMassVanishing } from '../../scans/missing-assets.ts'
import type { Reader, Writer } from '../../store/store.ts'
import type { CompleteFile, CompleteScope } from '../request.ts'

/** Findings that are in memory at the same time. */
const ROWS_AT_ONCE = 1_000
export const NOT_IN_IMPORT = ownText('not_in_import')

/** How many open findings each scope has before a file is applied. */
export const countScopes = (reader: Reader, { scopes }: CompleteFile, sourceId: number): number[] =>
  scopes.map(({ scope }) => countOpenIn(reader, { scope, sourceId }))

interface AppliedFile {
  uid: string
  sourceId: number
  scanId: number
  at: number
}

/**
 * Resolves the findings that a complete file does not contain of its scopes, unless another scope has them, or a person
 * decided; returns how many. `before` has the numbers of open findings of the scopes.
 * @throws AppError `conflict`, reason `mass_vanishing`
 */
export function resolveAbsent(
  writer: Writer,
  ledger: FindingLedger,
  { scopes, acceptVanishing }: CompleteFile,
  file: AppliedFile,
  before: readonly number[],
): number {
  let resolved = 0
  for (const [index, scope] of scopes.entries()) {
    const vanished = resolveInScope(writer, ledger, scope, file)
    const total = before[index] ?? 0
    if (!acceptVanishing && isMassVanishing(vanished, total)) {
      throw conflict(
        `Nothing was imported: ${vanished} of ${total} open findings are not in the complete file; check that it is whole, then import it with --accept-vanishing (acceptVanishing=true).`,
        { reason: 'mass_vanishing' },
      )
    }
    resolved += vanished
  }
  return resolved
}

/** Returns the number of findings that were resolved. */
function resolveInScope(
  writer: Writer,
  ledger: FindingLedger,
  { scope, endedAt }: CompleteScope,
  { uid, sourceId, scanId, at }: AppliedFile,
): number {
  const place: SourceScope = { scope, sourceId }
  const absent = listAbsent(writer, { ...place, uid, until: endedAt ?? Number.MAX_SAFE_INTEGER })
  let resolved = 0
  for (let from = 0; from < absent.length; from += ROWS_AT_ONCE) {
    const page = absent.slice(from, from + ROWS_AT_ONCE)
    if (writer.time !== undefined) ledger.readAheadById(page.map(({ id }) => id))
    const left: number[] = []
    for (const { id, isElsewhere } of page) {
      const record = ledger.findById(id)
      if (record === undefined) continue
      const decision = ledger.lastDecision(id)
      const { status } = record.facets
      if (decision?.by === 'person' && (isDecided(status) || decision.at > (endedAt ?? at))) {
        ledger.noteEvidence(id, true)
        continue
      }
      left.push(id)
      if (isElsewhere || status === 'RESOLVED') continue
      const since = Math.max(endedAt ?? at, record.firstDetectedAt)
      ledger.changeStatus(record, {
        at: since,
        to: 'RESOLVED',
        actor: ownText('import'),
        reason: NOT_IN_IMPORT,
        scanId,
      })
      if (status === 'OPEN') resolved++
    }
    removeFromScope(writer, scope, left)
  }
  return resolved
}
