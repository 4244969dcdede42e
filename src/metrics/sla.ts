import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { severities } from '../detectors/detector.ts'
import { toSafeJson } from '../detectors/safe-text.ts'
import type { SlaDays } from '../findings/due-conditions.ts'
import { dependsOnDueDates } from '../findings/filter.ts'
import { ALL_FINDINGS, listPolicies, type SlaPolicy } from '../findings/sla.store.ts'
import { Slug } from '../glossary/model.ts'
import { atPath, conflict, type Issue, invalidInput } from '../kernel/errors.ts'
import type { Reader, Writer } from '../store/store.ts'
import { resolveTerm } from './names.ts'
import { insertPolicy, removePolicy, replaceDays } from './sla.store.ts'

export const MAX_POLICIES = 100

const days = z
  .int()
  .min(1, 'must be at least 1 day; leave out a severity whose findings are never due.')
  .max(3650, 'must be at most 3650 days.')

const SlaDaysInput = z
  .strictObject(Object.fromEntries(severities.map((name) => [name, days.describe(`Days of ${name}.`).optional()])))
  .refine((given) => Object.values(given).some((value) => value !== undefined), 'must name at least one severity.')
  .describe('Days from the first detection to the due date, by severity.')

export const SlaPolicyInput = z
  .strictObject({
    glossaryTermSlug: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .describe('The findings of this term; absent or null: all findings.')
      .optional(),
    days: SlaDaysInput,
  })
  .describe('When findings are due.')
type SlaPolicyInput = z.infer<typeof SlaPolicyInput>

/** A policy as a file. */
export const SlaFile = SlaPolicyInput.extend({
  glossaryTermSlug: Slug.nullable().describe('The findings of this term; absent or null: all findings.').optional(),
})

interface WantedPolicy {
  /** The slug of its term, or `ALL_FINDINGS`. */
  name: string
  termId: number | null
  days: SlaDays
}

/** Resolves the terms. @throws AppError with the path of each policy whose term cannot have it, or has one already */
function toWanted(
  reader: Reader,
  policies: readonly SlaPolicyInput[],
  toPath: (index: number) => string,
): Map<string, WantedPolicy> {
  const wanted = new Map<string, WantedPolicy>()
  const issues: Issue[] = []
  for (const [index, policy] of policies.entries()) {
    const path = `${toPath(index)}glossaryTermSlug`
    const term = atPath(path, () => findTerm(reader, policy.glossaryTermSlug ?? undefined))
    const name = term?.slug ?? ALL_FINDINGS
    const what = term === undefined ? 'all findings' : `the term ${name}`
    if (wanted.has(name)) issues.push({ path, message: `is a second policy for ${what}; keep one of them.` })
    else wanted.set(name, { name, termId: term?.id ?? null, days: toDays(policy.days) })
  }
  const [first] = issues
  if (first === undefined) return wanted
  throw invalidInput(`The policies are not valid: ${first.path} ${first.message}`, { reason: 'duplicate', issues })
}

/** @throws AppError `not_found`, or `conflict` for a term that cannot have a policy */
function findTerm(reader: Reader, slug: string | undefined) {
  if (slug === undefined) return undefined
  const term = resolveTerm(reader, slug)
  if (!term.isActive) {
    throw conflict(`The term ${term.slug} is inactive; activate it, or choose another one.`, {
      reason: 'inactive_term',
    })
  }
  if (dependsOnDueDates(term.filterMapping)) {
    throw conflict(`The mapping of ${term.slug} depends on due dates, so due dates cannot depend on it.`, {
      reason: 'depends_on_due_dates',
    })
  }
  return term
}

/** The days in the order of severities, so that equal policies are equal texts. */
export const toDays = (given: Record<string, number | undefined>): SlaDays =>
  Object.fromEntries(severities.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])))

/** Makes the policies those that are given. @throws AppError `invalid_input`, `not_found` or `conflict` with the path */
export function replacePolicies(writer: Writer, policies: readonly SlaPolicyInput[], author: Author): void {
  const wanted = toWanted(writer, policies, (index) => `policies[${index}].`)
  const present = new Map(listPolicies(writer).map((policy) => [policy.name, policy]))
  for (const policy of present.values()) if (!wanted.has(policy.name)) deletePolicy(writer, policy, author)
  for (const policy of wanted.values()) savePolicy(writer, present.get(policy.name), policy, author)
}

/** Sets the policy of one term, or of all findings; without `days` it is deleted. */
export function setPolicy(writer: Writer, name: string, given: SlaDays | undefined, author: Author): void {
  const present = listPolicies(writer).find((policy) => policy.name === name)
  if (given === undefined) {
    if (present !== undefined) deletePolicy(writer, present, author)
    return
  }
  const glossaryTermSlug = name === ALL_FINDINGS ? null : name
  const [wanted] = toWanted(writer, [{ glossaryTermSlug, days: given }], () => '').values()
  if (wanted !== undefined) savePolicy(writer, present, wanted, author)
}

const toAudited = (glossaryTermSlug: string | null, days: SlaDays) => ({ glossaryTermSlug, days })

function deletePolicy(writer: Writer, { id, name, termSlug, days }: SlaPolicy, author: Author): void {
  removePolicy(writer, id)
  appendAudit(writer, author, { action: 'delete', kind: 'sla', name, before: toAudited(termSlug, days) })
}

function savePolicy(writer: Writer, present: SlaPolicy | undefined, wanted: WantedPolicy, author: Author): void {
  const { name, termId, days } = wanted
  const after = toAudited(termId === null ? null : name, days)
  const text = toSafeJson(days, 'definition')
  if (present === undefined) {
    insertPolicy(writer, { name, termId, days: text, at: author.at })
    appendAudit(writer, author, { action: 'create', kind: 'sla', name, after })
  } else if (!isDeepStrictEqual(present.days, days)) {
    replaceDays(writer, present.id, text, author.at)
    const before = toAudited(present.termSlug, present.days)
    appendAudit(writer, author, { action: 'update', kind: 'sla', name, before, after })
  }
}
