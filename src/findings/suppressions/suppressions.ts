import { compilePattern, type LinearPattern } from '../../detectors/custom/pattern.ts'
import { toSafeText } from '../../detectors/safe-text.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { Writer } from '../../store/store.ts'
import type { FindingLedger } from '../ledger.store.ts'
import {
  listSuppressible,
  listSuppressions,
  type PatternField,
  type SuppressibleFinding,
  type SuppressionRecord,
} from './suppressions.store.ts'

/** Maximum number of ids in one query. */
const IDS_AT_ONCE = 400

/** The actor that histories name for what a suppression has changed. */
export const actorOf = (id: number): SafeText => toSafeText(`suppression:${id}`, 'key')

/** Applies suppressions to the findings that this transaction opened; the oldest that matches wins. */
export function suppressOpened(writer: Writer, ledger: FindingLedger, at: number): void {
  if (ledger.opened.length === 0) return
  const suppressions = listSuppressions(writer)
  const waiting = new Set(suppressions.length === 0 ? [] : ledger.opened)
  for (const suppression of suppressions) {
    if (suppression.until !== null && suppression.until <= at) continue
    const matches = compilePatterns(suppression)
    const ids = [...waiting]
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const page = { at, ids: ids.slice(from, from + IDS_AT_ONCE) }
      const found = listSuppressible(writer, suppression, page).filter(matches)
      suppressFindings(ledger, suppression, found, at)
      for (const { id } of found) waiting.delete(id)
    }
  }
  ledger.opened.length = 0
}

/** Returns how many were open before. */
export function suppressFindings(
  ledger: FindingLedger,
  { id, status, reason, until }: SuppressionRecord,
  findings: readonly { id: number }[],
  at: number,
): number {
  if (until !== null && until <= at) return 0
  const records = findings.flatMap((finding) => ledger.findById(finding.id) ?? [])
  const open = records.filter(({ facets }) => facets.status === 'OPEN')
  const decision = { at, to: status, actor: actorOf(id), reason: toSafeText(reason, 'definition') }
  for (const record of open) ledger.changeStatus(record, { ...decision, until: until ?? undefined })
  return open.length
}

/** Compiles a test of a finding against all patterns. A pattern that no longer compiles matches nothing. */
export function compilePatterns({
  patterns,
}: Pick<SuppressionRecord, 'patterns'>): (finding: SuppressibleFinding) => boolean {
  const compiled = patterns.map(({ field, pattern }): [PatternField, LinearPattern | { problem: string }] => [
    field,
    compilePattern(pattern, 'i'),
  ])
  return (finding) => compiled.every(([field, pattern]) => !('problem' in pattern) && pattern.matches(finding[field]))
}
