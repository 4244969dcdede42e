import { isDeepStrictEqual } from 'node:util'
import { needsTwo } from '../access/four-eyes.ts'
import { findProposer, isActor } from '../audit/actors.store.ts'
import { type Author, listAuditRows } from '../audit/audit.store.ts'
import type { AuditEntryRow } from '../audit/audit-chain.store.ts'
import { AppError } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-object.ts'
import { showCode } from '../kernel/shown.ts'
import type { FourEyes } from '../operation/context.ts'
import type { Reader } from '../store/store.ts'
import { loadInputs } from './dependencies.ts'
import { listParts } from './drift.ts'
import type { MetricRecord } from './model.ts'

/** By kind of definition: the members that decide what numbers mean. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  metric: ['type', 'definition', 'format', 'unit', 'emptyAs', 'glossaryTermSlug'],
  term: ['filterMapping'],
  sla: ['days'],
}
const ROWS_PER_READ = 100

/**
 * Who last changed what a metric means does not certify it, where more than one principal can. Changes of its term and
 * inputs count from the last change of the metric itself on.
 * @throws AppError `forbidden`, reason `four_eyes`
 */
export function requireOtherEyes(
  reader: Reader,
  metric: MetricRecord,
  author: Author,
  fourEyes: FourEyes | undefined,
): void {
  if (!needsTwo(reader, fourEyes)) return
  const [own = 0, certified = 0] = [changesMeaning, isCertification].map(
    (passes) => findLast(reader, 'metric', metric.slug, passes)?.seq,
  )
  const changes = listParts(reader, metric, loadInputs(reader, metric))
    .flatMap(({ kind, name }) => findLast(reader, kind, name, changesMeaning) ?? [])
    .filter(({ seq }) => seq >= own)
    .sort((a, b) => b.seq - a.seq)
  const uncertified = changes.filter(({ seq }) => seq > certified)
  const last = uncertified.length > 0 ? uncertified : changes.slice(0, 1)
  const isOwn = ({ actor, actor_id, proposal }: AuditEntryRow) => {
    const proposer = proposal === null ? undefined : findProposer(reader, proposal)
    return [{ name: actor, id: actor_id }, proposer].some((made) => made !== undefined && isActor(made, author))
  }
  if (!last.some(isOwn)) return
  const message = `You made or last changed what ${showCode(metric.slug)} means, so another person must certify it; to allow it, set "fourEyes": false in config.json.`
  throw new AppError('forbidden', message, { reason: 'four_eyes' })
}

/** The newest entry about a definition, or about all of a kind, that passes. */
function findLast(
  reader: Reader,
  kind: string,
  name: string | undefined,
  passes: (row: AuditEntryRow) => boolean,
): AuditEntryRow | undefined {
  let beforeSeq: number | undefined
  for (;;) {
    const rows = listAuditRows(reader, { kind, name, beforeSeq, limit: ROWS_PER_READ })
    const found = rows.find(passes)
    if (found !== undefined || rows.length < ROWS_PER_READ) return found
    beforeSeq = rows.at(-1)?.seq
  }
}

const isCertification = ({ action }: AuditEntryRow) => action === 'certify'

function changesMeaning({ kind, before, after, action }: AuditEntryRow): boolean {
  // The default metrics are certified as they are made.
  if (action === 'certify') return false
  const [was, is] = [before, after].map((text) => toMeaning(kind, text))
  return !isDeepStrictEqual(was, is)
}

function toMeaning(kind: string, text: string | null): unknown[] | undefined {
  const content: unknown = text === null ? undefined : JSON.parse(text)
  return isObject(content) ? meanings[kind]?.map((member) => content[member] ?? null) : undefined
}
