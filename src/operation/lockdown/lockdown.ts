import type { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import type { Caller } from '../context.ts'
import { disclosures, type Origin } from './disclosure.ts'
import { mapTexts } from './texts.ts'

/** Shown in place of text from a tenant. */
export const WITHHELD = '(withheld)'

export const isLockedDown = (context: { lockdown?: boolean; caller: Caller }): boolean =>
  context.lockdown === true || context.caller.lockdown === true

/** Reduces an answer to counts, ids, codes and the texts that its schema declares as `own`. */
export function withhold(schema: z.ZodType, answer: unknown, toCode: (code: string) => string): unknown {
  const show = (text: string, origin: Origin) =>
    origin === 'own' ? text : origin === 'code' ? toCode(text) : text === '' ? text : WITHHELD
  return mapTexts(schema, answer, (leaf, text, place) => {
    const shows = disclosures.get(leaf)?.shows ?? 'withheld'
    return typeof shows === 'function' ? shows(text, place, show) : show(text, shows)
  })
}

const valueId = /\bv_[0-9a-f]{12}\b/g

/** Replaces the ids of values, which terms, suppressions and the audit trail may contain. */
export function withholdValueIds(answer: unknown): unknown {
  if (typeof answer === 'string') return answer.replace(valueId, WITHHELD)
  if (Array.isArray(answer)) return answer.map(withholdValueIds)
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(Object.entries(answer).map(([name, member]) => [name, withholdValueIds(member)]))
}

/** Kinds of suggestions whose names come from this program or an operator. */
const ownSuggestions: ReadonlySet<string> = new Set([
  ...['metric', 'term', 'dimension', 'dashboard', 'source', 'custom detector'],
  ...['granularity', 'time zone', 'time', 'key'],
])

/** Removes the contents of an imported file from an error; the number of the line is kept. */
export function withholdFile(error: AppError): AppError {
  const { reason, facts = {} } = error.facts
  if (reason !== 'bad_line' && reason !== 'bad_file') return error
  const isLine = typeof facts.line === 'number'
  const what = isLine ? `line ${facts.line}` : 'the file'
  const message = `Nothing was imported: ${what} is not valid. Lockdown withholds its content; import it without lockdown to see why.`
  return new AppError(error.code, message, { reason, ...(isLine ? { facts: { line: facts.line } } : {}) })
}

/** Removes suggestions that contain names from a tenant. */
export function withholdSuggestions(error: AppError): AppError {
  const { suggestions = [], issues, fix: _fix, ...facts } = error.facts
  const kept = suggestions.filter(({ kind }) => ownSuggestions.has(kind))
  if (kept.length === suggestions.length) return error
  const message = 'A name is not known; lockdown withholds names of tenants.'
  return new AppError(error.code, message, {
    ...facts,
    ...(issues === undefined ? {} : { issues: issues.map(({ path }) => ({ path, message: 'is not known.' })) }),
    ...(kept.length === 0 ? {} : { suggestions: kept }),
  })
}
