import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detectorDescriptions } from '../../src/detectors/descriptions.ts'
import { detectorTypes } from '../../src/detectors/detector.ts'
import { listTerms } from '../../src/glossary/glossary.store.ts'
import { glossaryOperations } from '../../src/glossary/operations.ts'
import { searchPage, toMatchExpressions } from '../../src/glossary/search.ts'
import { resolveMetric, resolveTerm } from '../../src/metrics/names.ts'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { anyText } from '../support/any-text.ts'
import { caller, errorOf, openContext } from '../support/context.ts'

const operations = [...glossaryOperations, ...metricOperations]
const mapping = { detectorTypes: ['PII'] }

async function open() {
  const context = openContext()
  const ask = caller(operations, context)
  await ask('create_glossary_term', { slug: 'alpha', displayName: 'Customer Data', filterMapping: mapping })
  await ask('create_glossary_term', {
    slug: 'beta',
    displayName: 'alpha',
    synonyms: ['Clients', 'shared name'],
    filterMapping: mapping,
  })
  await ask('create_glossary_term', {
    slug: 'gamma',
    displayName: 'Gamma',
    synonyms: ['shared name', 'Customer data'],
    filterMapping: mapping,
  })
  const term = (name: string) => context.read((reader) => resolveTerm(reader, name).slug)
  const metric = (name: string) => context.read((reader) => resolveMetric(reader, name).slug)
  return { ask, context, term, metric }
}

test.each([
  ['a slug before a display name', 'alpha', 'alpha'],
  ['a slug in another case', 'ALPHA', 'alpha'],
  ['a display name before a synonym', 'customer data', 'alpha'],
  ['a synonym', 'clients', 'beta'],
  ['a name with blanks around it', '  Gamma ', 'gamma'],
])('a term is found by %s', async (_, name, slug) => {
  const { term } = await open()
  expect(term(name)).toBe(slug)
})

test('a term is found by its id', async () => {
  const { ask, term } = await open()
  const { id } = await ask('get_glossary_term', { slug: 'beta' })
  expect(term(id)).toBe('beta')
})

test('an error for an ambiguous name lists the candidates', async () => {
  const { ask } = await open()
  const error = await errorOf(ask('get_glossary_term', { slug: 'Shared Name' }))
  expect(error).toMatchObject({
    code: 'invalid_input',
    facts: {
      reason: 'ambiguous_name',
      suggestions: [
        { value: 'beta', kind: 'term' },
        { value: 'gamma', kind: 'term' },
      ],
    },
  })
})

test('display names that differ in letter case only are distinguished by case', async () => {
  const { ask, term } = await open()
  await ask('create_glossary_term', { slug: 'd1', displayName: 'Risk', filterMapping: mapping })
  await ask('create_glossary_term', { slug: 'd2', displayName: 'RISK', filterMapping: mapping })
  expect([term('Risk'), term('RISK')]).toEqual(['d1', 'd2'])
  expect(() => term('risk')).toThrow(/d1, d2/)
})

test.each([
  ['a typo', 'opne-findings', 'open-findings', 'metric'],
  ['words in another order', 'findings open', 'open-findings', 'metric'],
  ['a word of a synonym', 'time to fix things', 'mean-time-to-resolve', 'metric'],
  ['a term given as a metric', 'critical-findings', 'critical-open-findings', 'metric'],
])('an error for an unknown metric suggests the closest: %s', async (_, name, first, kind) => {
  const { ask } = await open()
  const error = await errorOf(ask('get_metric', { slug: name }))
  expect(error.code).toBe('not_found')
  expect(error.facts.suggestions?.[0]).toMatchObject({ value: first, kind })
})

test.each([
  ['get_metric', 'severity', /severity is a dimension, not a metric; name it in dimensions/],
  ['get_metric', 'detector type', /detectorType is a dimension, not a metric/],
  ['get_metric', 'OPEN', /OPEN is a status, not a metric/],
  ['get_metric', 'pii exposure', /pii-exposure is a term, not a metric; name it as glossaryTermSlug: 'pii-exposure'/],
  [
    'get_glossary_term',
    'open-findings',
    /open-findings is a metric, not a term; name it as metricSlug: 'open-findings'/,
  ],
  ['get_glossary_term', 'critical', /CRITICAL is a severity, not a term/],
  ['get_glossary_term', 'secrets', /SECRETS is a detector type, not a term/],
  ['get_glossary_term', 'container', /container is a dimension, not a term/],
])('the error of %s states what %s is', async (operation, name, message) => {
  const { ask } = await open()
  const error = await errorOf(ask(operation, { slug: name }))
  expect(error).toMatchObject({ code: 'not_found', facts: { reason: 'wrong_kind' } })
  expect(error.message).toMatch(message)
})

test('the type of every detector is known', () => {
  expect(detectorTypes).toEqual(expect.arrayContaining(detectorDescriptions.map((detector) => detector.type)))
})

test('any text is a safe search and finds only existing terms', async () => {
  const { context } = await open()
  context.read((reader) => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.string(), fc.constantFrom('NEAR(a b)', 'a AND', '-"')), (text) => {
        const list = (match: string | undefined) =>
          listTerms(reader, { match, includeInactive: true }, { limit: 500, offset: 0 })
        const { terms, total } = searchPage(text, list, { terms: [], total: 0 })
        expect(terms.length).toBe(total)
        expect(total).toBeLessThanOrEqual(10)
      }),
      { numRuns: 500 },
    )
  })
})

test('any prefix of any word of a name finds it', async () => {
  const { context } = await open()
  const words = fc.constantFrom(...['Customer', 'Data', 'Clients', 'shared', 'unresolved', 'exposure'])
  context.read((reader) => {
    fc.assert(
      fc.property(words, fc.nat(6), fc.string(), (word, cut, noise) => {
        const text = `${word.slice(0, Math.max(3, word.length - cut))} ${noise.replace(/[\p{L}\p{N}]/gu, '')}`
        const [match] = toMatchExpressions(text)
        expect(listTerms(reader, { match, includeInactive: true }, { limit: 1, offset: 0 }).total).toBeGreaterThan(0)
      }),
    )
  })
})
