import type { z } from 'zod'
import { listTerms } from '../findings/filter.ts'
import { AppError, type Issue, joinPath } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-object.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { coerce } from '../operation/input/coerce.ts'
import { parseInput } from '../operation/operation.ts'
import { listFormulaNames, parseFormula, toFormulaName } from './formula.ts'
import {
  definitionSchemas,
  entityFacts,
  isReference,
  MetricReference,
  type MetricType,
  SimpleDefinition,
  type TypedDefinition,
} from './model.ts'

/** The result of reading a definition; without issues it is complete. */
export interface ReadDefinition {
  issues: Issue[]
  typed?: TypedDefinition
  /** The metrics that it refers to, with their paths; also collected from definitions with other problems. */
  references: DefinitionReference[]
}

export interface DefinitionReference {
  slug: string
  path: string
}

type Members = Record<string, unknown>

/**
 * Reads a definition by its type: its shape, and the checks that need no other metric. Paths begin with `definition`.
 */
export function readDefinition(type: MetricType, given: unknown): ReadDefinition {
  const raw = coerce(definitionSchemas[type], given).value
  if (!isObject(raw)) return { issues: [{ path: 'definition', message: 'must be an object.' }], references: [] }
  const issues = uniquePaths([...checkShape(type, raw), ...checkMeaning(type, raw)])
  const references = listReferences(type, raw)
  if (issues.length > 0) return { issues, references }
  const typed = { type, definition: parseInput(definitionSchemas[type], raw) } as TypedDefinition
  return { issues, references, typed }
}

function checkShape(type: MetricType, raw: Members): Issue[] {
  if (type !== 'RATIO') return issuesOf(definitionSchemas[type], raw, 'definition')
  // Each part is checked against its intended form: the error of a union could only say that it matches neither.
  const unknown = Object.keys(raw)
    .filter((key) => key !== 'numerator' && key !== 'denominator')
    .map((key) => ({ path: `definition.${key}`, message: 'is not a known key; remove it or check its spelling.' }))
  const parts = sides.flatMap((side) => {
    const part = raw[side]
    const path = `definition.${side}`
    if (!isObject(part)) return [{ path, message: 'must be an inline SIMPLE definition or {metricSlug}.' }]
    return issuesOf('metricSlug' in part ? MetricReference : SimpleDefinition, part, path)
  })
  return [...unknown, ...parts]
}

const sides = ['numerator', 'denominator'] as const

function checkMeaning(type: MetricType, raw: Members): Issue[] {
  switch (type) {
    case 'SIMPLE':
      return checkSimple(raw, 'definition')
    case 'RATIO':
      return sides.flatMap((side) => {
        const part = raw[side]
        return isObject(part) && !('metricSlug' in part) ? checkSimple(part, `definition.${side}`) : []
      })
    case 'DERIVED':
      return checkFormula(raw)
    case 'TREND':
      return checkWindows(raw)
  }
}

function checkSimple(raw: Members, path: string): Issue[] {
  const [aggregation, entity, field, timeField] = [
    SimpleDefinition.shape.aggregation.safeParse(raw.aggregation).data,
    SimpleDefinition.shape.entity.safeParse(raw.entity).data,
    SimpleDefinition.shape.field.safeParse(raw.field).data,
    SimpleDefinition.shape.timeField.safeParse(raw.timeField).data,
  ]
  const issues: Issue[] = []
  if (aggregation === 'COUNT' && field !== undefined) {
    issues.push({ path: `${path}.field`, message: 'COUNT takes no field; remove it, or use COUNT_DISTINCT.' })
  }
  issues.push(...checkPercentile(raw, path), ...checkWindow(raw, path))
  if (entity === undefined) return issues
  const facts = entityFacts[entity]
  if (aggregation !== undefined && aggregation !== 'COUNT') {
    const fitting: readonly string[] = aggregation === 'COUNT_DISTINCT' ? facts.distinctFields : facts.numericFields
    const choice = `use one of ${fitting.join(', ')}.`
    if (raw.field === undefined) {
      issues.push({ path: `${path}.field`, message: `is required by ${aggregation}; ${choice}` })
    } else if (field !== undefined && !fitting.includes(field)) {
      issues.push({ path: `${path}.field`, message: `${field} does not fit ${aggregation} of ${entity}; ${choice}` })
    }
  }
  const timeFields: readonly string[] = facts.timeFields
  if (timeField !== undefined && !timeFields.includes(timeField)) {
    const message = `${timeField} is not a time of ${entity}; use one of ${timeFields.join(', ')}.`
    issues.push({ path: `${path}.timeField`, message })
  }
  if (entity === 'finding' && isObject(raw.filters) && raw.filters.scanned !== undefined) {
    issues.push({ path: `${path}.filters.scanned`, message: 'is a filter on assets; use entity asset or remove it.' })
  }
  return issues
}

function checkPercentile({ aggregation, p }: Members, path: string): Issue[] {
  if (aggregation === 'PERCENTILE' && p === undefined) {
    return [{ path: `${path}.p`, message: 'is required by PERCENTILE; give a number from 0 to 1, such as 0.9.' }]
  }
  if (p === undefined || aggregation === 'PERCENTILE') return []
  return [{ path: `${path}.p`, message: 'is for PERCENTILE only; remove it or change the aggregation.' }]
}

function checkWindow({ window, mode }: Members, path: string): Issue[] {
  if (!isObject(window)) return []
  if ((window.last === undefined) === (window.toDate === undefined)) {
    return [{ path: `${path}.window`, message: 'must have either last, such as 28d, or toDate, such as month.' }]
  }
  if (mode !== 'stock') return []
  return [
    {
      path: `${path}.window`,
      message: 'cannot be used with mode stock, which counts at one moment; remove one of them.',
    },
  ]
}

function checkFormula(raw: Members): Issue[] {
  const inputs = textsOf(raw.inputs)
  const issues: Issue[] = inputs.flatMap((slug, index) =>
    inputs.indexOf(slug) < index
      ? [{ path: `definition.inputs[${index}]`, message: `${slug} is listed twice; remove one.` }]
      : [],
  )
  for (const [index, slug] of inputs.entries()) {
    if (!/^\d+$/.test(slug)) continue
    const message = `${slug} would be read as a number in a formula, so this metric cannot be an input.`
    issues.push({ path: `definition.inputs[${index}]`, message })
  }
  if (typeof raw.formula !== 'string' || raw.formula === '') return issues
  const parsed = parseFormula(raw.formula)
  const failed = 'problems' in parsed
  if (failed) issues.push(...parsed.problems.map(({ message }) => ({ path: 'definition.formula', message })))
  const used = failed ? parsed.names : listFormulaNames(parsed.formula)
  const known = inputs.map(toFormulaName)
  for (const [name, at] of used) {
    if (known.includes(name)) continue
    const [near] = closest(name, known, (candidate) => candidate, 1)
    const hint =
      near === undefined ? 'add its metric to inputs.' : `did you mean ${near}? Else add its metric to inputs.`
    issues.push({
      path: 'definition.formula',
      message: `at position ${at + 1}: ${quote(name)} is not an input; ${hint}`,
    })
  }
  if (failed && used.size === 0) return issues
  for (const [index, slug] of inputs.entries()) {
    if (used.has(toFormulaName(slug))) continue
    const message = `the formula does not use ${slug} (written ${toFormulaName(slug)}); use it or remove it.`
    issues.push({ path: `definition.inputs[${index}]`, message })
  }
  return issues
}

function checkWindows({ currentWindow, compareWindow }: Members): Issue[] {
  const [current, compare] = [toLength(currentWindow), toLength(compareWindow)]
  if (current === undefined || compare === undefined || current === compare) return []
  const message = `must be as long as currentWindow (${currentWindow}), so that the windows are comparable.`
  return [{ path: 'definition.compareWindow', message }]
}

const hoursOf: Record<string, number> = { h: 1, d: 24, w: 168 }

// A month has no fixed number of hours, so months only equal months.
function toLength(window: unknown): string | undefined {
  const [, amount, unit = ''] = /^(\d+)(h|d|w|mo)$/.exec(typeof window === 'string' ? window : '') ?? []
  if (amount === undefined) return undefined
  const hours = hoursOf[unit]
  return hours === undefined ? `${Number(amount)} months` : `${Number(amount) * hours} hours`
}

function listReferences(type: MetricType, raw: Members): DefinitionReference[] {
  const named: DefinitionReference[] = []
  const add = (slug: unknown, path: string) => {
    if (MetricReference.shape.metricSlug.safeParse(slug).success) named.push({ slug: String(slug), path })
  }
  if (type === 'RATIO') {
    for (const side of sides) {
      const part = raw[side]
      if (isObject(part)) add(part.metricSlug, `definition.${side}.metricSlug`)
    }
  }
  if (type === 'DERIVED') {
    for (const [index, slug] of textsOf(raw.inputs).entries()) add(slug, `definition.inputs[${index}]`)
  }
  if (type === 'TREND') add(raw.baseMetricSlug, 'definition.baseMetricSlug')
  return named
}

function issuesOf(schema: z.ZodType, raw: unknown, path: string): Issue[] {
  try {
    parseInput(schema, raw)
    return []
  } catch (error) {
    if (!(error instanceof AppError) || error.facts.issues === undefined) throw error
    return error.facts.issues.map((issue) => ({ ...issue, path: joinPath(path, issue.path) }))
  }
}

// Keeps one problem for each path, except for a formula, where each unknown name is a problem of its own.
function uniquePaths(issues: readonly Issue[]): Issue[] {
  return issues.filter(
    ({ path }, index) => path === 'definition.formula' || index === issues.findIndex((other) => other.path === path),
  )
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** The SIMPLE definitions inlined in a definition. */
export function listInline({ type, definition }: TypedDefinition): SimpleDefinition[] {
  if (type === 'SIMPLE') return [definition]
  if (type !== 'RATIO') return []
  return sides.flatMap((side) => {
    const part = definition[side]
    return isReference(part) ? [] : [part]
  })
}

/** The slugs of the terms that the filters of a definition name. */
export const listFilterTerms = (typed: TypedDefinition): string[] => [
  ...new Set(listInline(typed).flatMap(({ filters }) => (filters === undefined ? [] : listTerms(filters)))),
]
