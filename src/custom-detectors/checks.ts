import { type CompiledRule, compileRule } from '../detectors/custom/evaluate.ts'
import { compilePattern } from '../detectors/custom/pattern.ts'
import type { Condition, MetadataCondition, Rule } from '../detectors/custom/rule.ts'
import type { AssetFacts } from '../detectors/detector.ts'
import type { AssayDocument, Part } from '../documents/document.ts'
import { describeMoreProblems, type Issue, invalidInput } from '../kernel/errors.ts'
import type { DetectorDefinition, Example } from './model.ts'

/**
 * Validates a detector before it is stored: its patterns must compile, and its examples must match as specified.
 * `within` is the path of the definition in the input.
 * @throws AppError `invalid_input` with every problem and its path
 */
export function checkDefinition({ rule, examples }: DetectorDefinition, within: string): void {
  const found = checkRule(rule)
  if (found.length === 0) found.push(...checkExamples(compileRule(rule), examples))
  const issues = found.map(({ path, message }) => ({ path: `${within}.${path}`, message }))
  const [first] = issues
  if (first === undefined) return
  const more = describeMoreProblems(issues)
  throw invalidInput(`The detector was not saved: ${first.path} ${first.message}${more}`, { issues })
}

function checkRule(rule: Rule): Issue[] {
  const issues = (['all', 'any', 'none'] as const).flatMap((list) =>
    rule[list].flatMap((condition, index) => checkCondition(condition, `rule.${list}[${index}]`)),
  )
  if (rule.all.length + rule.any.length === 0) {
    issues.push({ path: 'rule', message: 'must have at least one condition in all or any.' })
  }
  return issues
}

function checkCondition(condition: Condition, path: string): Issue[] {
  if (condition.type === 'REGEX') return checkPattern(condition.pattern, condition.flags, `${path}.pattern`)
  return condition.type === 'METADATA' ? checkFact(condition, path) : []
}

function checkPattern(source: string, flags: string, path: string): Issue[] {
  const pattern = compilePattern(source, flags)
  return 'problem' in pattern ? [{ path, message: pattern.problem }] : []
}

const dated = new Set(['BEFORE', 'AFTER'])

function checkFact({ field, operator, values }: MetadataCondition, path: string): Issue[] {
  const bare = operator === 'MISSING' || operator === 'PRESENT'
  if (bare && values.length > 0) return [{ path: `${path}.values`, message: `must not be given with ${operator}.` }]
  if (!bare && values.length === 0) return [{ path: `${path}.values`, message: 'must name at least one value.' }]
  if (!bare && dated.has(operator) !== (field === 'contentUpdatedAt')) {
    return [
      {
        path: `${path}.operator`,
        message: 'contentUpdatedAt requires BEFORE or AFTER, and they require contentUpdatedAt.',
      },
    ]
  }
  return values.flatMap((value, index) => {
    const at = `${path}.values[${index}]`
    if (operator === 'MATCHES') return checkPattern(value, 'i', at)
    const isBad = dated.has(operator) && Number.isNaN(Date.parse(value))
    return isBad ? [{ path: at, message: 'must be an ISO 8601 date.' }] : []
  })
}

function checkExamples(rule: CompiledRule, { match, noMatch }: DetectorDefinition['examples']): Issue[] {
  const found = (example: Example) => {
    const { document, asset } = toSubject(example)
    return rule(document.parts, asset).length > 0
  }
  return [
    ...match.flatMap((example, index) =>
      found(example) ? [] : [{ path: `examples.match[${index}]`, message: 'is not matched by the rule.' }],
    ),
    ...noMatch.flatMap((example, index) =>
      found(example) ? [{ path: `examples.noMatch[${index}]`, message: 'is matched by the rule.' }] : [],
    ),
  ]
}

/** An example in the form that detectors receive. */
export function toSubject(example: Example): { document: AssayDocument; asset: AssetFacts } {
  const details = typeof example === 'string' ? { text: example } : example
  const { text = '', column, name = '', kind = 'wiki.page', url = '', container, owner, labels } = details
  const at = details.contentUpdatedAt === undefined ? Number.NaN : Date.parse(details.contentUpdatedAt)
  const parts: Part[] = [
    { kind: 'name' as const, text: name, path: 'title' },
    { kind: 'text' as const, text, path: 'body' },
    { kind: 'name' as const, text: column ?? '', path: 'column', label: 'column' },
  ].filter((part) => part.text !== '')
  if (parts.length === 0) parts.push({ kind: 'name', text: 'example', path: 'title' })
  return {
    document: { mime: 'text/plain', parts, links: [] },
    asset: {
      key: 'example',
      kind,
      name,
      url,
      ...(container === undefined ? {} : { container }),
      ...(owner === undefined ? {} : { owner }),
      ...(labels === undefined ? {} : { labels }),
      ...(Number.isNaN(at) ? {} : { contentUpdatedAt: at }),
    },
  }
}
