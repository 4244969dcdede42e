import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { dependsOnDueDates, type FilterMapping } from '../findings/filter.ts'
import { listPolicies } from '../findings/sla.store.ts'
import { conflict } from '../kernel/errors.ts'
import { given } from '../kernel/json-object.ts'
import { quote } from '../kernel/shown.ts'
import { defuseAssistantText } from '../operation/author.ts'
import { noteReview } from '../store/review.store.ts'
import type { Reader, Writer } from '../store/store.ts'
import {
  findTermBySlug,
  hasFindingsOf,
  insertTerm,
  removeTerm,
  replaceTerm,
  type TermMembers,
} from './glossary.store.ts'
import { type TermRecord, toGlossaryTerm } from './model.ts'

/** The editable members of a term; the slug never changes. */
export interface TermChange {
  displayName?: string | undefined
  description?: string | undefined
  category?: string | undefined
  filterMapping?: FilterMapping | undefined
  color?: string | null | undefined
  icon?: string | null | undefined
  synonyms?: string[] | undefined
  isActive?: boolean | undefined
}

export interface NewTerm extends TermChange {
  slug: string
  displayName: string
  filterMapping: FilterMapping
}

/** The members that are free text. */
const writtenKeys = ['displayName', 'description', 'category', 'icon', 'synonyms']

/** @throws AppError `conflict` when the slug is taken */
export function createTerm(writer: Writer, term: NewTerm, author: Author): TermRecord {
  if (findTermBySlug(writer, term.slug) !== undefined) {
    throw conflict(`A term ${quote(term.slug)} already exists; choose another slug or update that term.`, {
      reason: 'slug_taken',
    })
  }
  const blank = { description: '', category: '', color: null, icon: null, synonyms: [], isActive: true }
  const { slug, displayName, filterMapping } = term
  const members = {
    ...blank,
    ...defuseAssistantText(author, { ...given(term), slug, displayName, filterMapping }, writtenKeys),
  }
  insertTerm(writer, { ...members, uid: randomUUID(), updatedAt: author.at })
  const created = getStored(writer, term.slug)
  appendAudit(writer, author, { action: 'create', kind: 'term', name: term.slug, after: toGlossaryTerm(created) })
  return created
}

/**
 * Changes the given members; a change without effect writes nothing.
 * @throws AppError `conflict` for a term with a policy of due dates that could not have one any more
 */
export function updateTerm(writer: Writer, term: TermRecord, change: TermChange, author: Author): TermRecord {
  const { id, createdAt, ...members } = term
  const changed: TermMembers = { ...members, ...defuseAssistantText(author, given(change), writtenKeys) }
  if (isDeepStrictEqual(changed, members)) {
    // A person who saves it unchanged has reviewed it.
    if (author.assistant !== true) noteReview(writer, { kind: 'term', name: term.slug, byAssistant: false })
    return term
  }
  requireFitForPolicy(writer, changed)
  replaceTerm(writer, id, { ...changed, updatedAt: author.at })
  const updated = getStored(writer, term.slug)
  const [before, after] = [toGlossaryTerm(term), toGlossaryTerm(updated)]
  appendAudit(writer, author, { action: 'update', kind: 'term', name: term.slug, before, after })
  return updated
}

function requireFitForPolicy(reader: Reader, { slug, isActive, filterMapping }: TermMembers): void {
  if (isActive && !dependsOnDueDates(filterMapping)) return
  if (listPolicies(reader).every(({ termSlug }) => termSlug !== slug)) return
  const why = isActive ? 'so its mapping cannot depend on them' : 'so it cannot be inactive'
  throw conflict(`${slug} has a policy of due dates, ${why}; remove the policy first.`, { reason: 'in_use' })
}

/** Removes a term; the caller checks that it is unused. */
export function deleteTerm(writer: Writer, term: TermRecord, author: Author): void {
  removeTerm(writer, term.id)
  appendAudit(writer, author, { action: 'delete', kind: 'term', name: term.slug, before: toGlossaryTerm(term) })
}

/** The detector types of a mapping that neither a built-in detector nor any finding has. */
export function listUnknownDetectors(reader: Reader, mapping: FilterMapping, builtIn: readonly string[]): string[] {
  const named = new Set([...(mapping.detectorTypes ?? []), ...(mapping.exclude?.detectorTypes ?? [])])
  return [...named].filter((type) => !builtIn.includes(type) && !hasFindingsOf(reader, type))
}

function getStored(reader: Reader, slug: string): TermRecord {
  const stored = findTermBySlug(reader, slug)
  if (stored === undefined) throw new TypeError(`the term ${slug} was not stored`)
  return stored
}
