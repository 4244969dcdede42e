import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { customDetector } from '../../../src/detectors/custom/index.ts'
import { compilePattern } from '../../../src/detectors/custom/pattern.ts'
import type { Rule } from '../../../src/detectors/custom/rule.ts'
import type { AssetFacts } from '../../../src/detectors/detector.ts'
import { createFingerprinter } from '../../../src/detectors/fingerprint.ts'
import { runRequest } from '../../../src/detectors/request.ts'
import type { AssayDocument, Part } from '../../../src/documents/document.ts'
import { cpuMs } from '../../support/cpu.ts'

const asset: AssetFacts = { key: 'a', kind: 'wiki.page', name: 'Plan', url: 'https://wiki.example/1' }
const toDocument = (...parts: (string | Part)[]): AssayDocument => ({
  mime: '',
  links: [],
  parts: parts.map((part) => (typeof part === 'string' ? { kind: 'text', text: part, path: 'body' } : part)),
})
const run = (rule: unknown, document: AssayDocument, facts: Partial<AssetFacts> = {}) => {
  const definition = { key: 'k', findingType: 'K', category: 'C', severity: 'LOW', confidence: 0.8, rule }
  const config = customDetector.config.parse({ definitions: [definition] })
  return [...customDetector.detect(document, { asset: { ...asset, ...facts }, config, now: 0 })]
}
const found = (rule: unknown, text: string, facts: Partial<AssetFacts> = {}) =>
  run(rule, toDocument(text), facts).map(({ start, end }) => text.slice(start, end))
const words = (...keywords: string[]) => ({ type: 'KEYWORDS', keywords })
const pattern = (source: string, flags = '') => ({ type: 'REGEX', pattern: source, flags })
const fact = (field: string, operator: string, ...values: string[]) => ({ type: 'METADATA', field, operator, values })

describe('keywords', () => {
  test.each<[string, object, string, string[]]>([
    ['in any letter case', words('Blue Heron'), 'blue heron, BLUE HERON', ['blue heron', 'BLUE HERON']],
    [
      'with letters beyond ASCII',
      words('Übergabe'),
      'übergabe ÜBERGABE Übergabe',
      ['übergabe', 'ÜBERGABE', 'Übergabe'],
    ],
    ['as whole words', words('heron'), 'herons heron_x heron.', ['heron']],
    ['as parts of words', { ...words('heron'), wholeWords: false }, 'herons', ['heron']],
    ['in the given letter case', { ...words('Heron'), caseSensitive: true }, 'heron Heron', ['Heron']],
    ['after an emoji', words('heron'), '🙂 heron', ['heron']],
  ])('are found %s', (_, condition, text, expected) => {
    expect(found({ any: [condition] }, text)).toEqual(expected)
  })

  test('are shown in excerpts, because the rule contains them', () => {
    const [match] = run({ any: [words('heron')] }, toDocument('a Heron'))
    expect(match).toMatchObject({
      shown: 'Heron',
      identity: 'heron',
      customDetectorKey: 'k',
      findingType: 'K',
      category: 'C',
    })
  })
})

describe('patterns', () => {
  test.each<[string, string, string, string, string[]]>([
    ['all matches', 'HB-\\d{4}', '', 'HB-1234 hb-1 HB-9999', ['HB-1234', 'HB-9999']],
    ['any case', 'hb-\\d{4}', 'i', 'HB-1234', ['HB-1234']],
    ['line by line', '^total: \\d+$', 'm', 'x\ntotal: 12\ny', ['total: 12']],
    ['only the group named value', 'pin (?P<value>\\d{4})', '', 'the pin 1234 is', ['1234']],
    ['offsets after an emoji', '\\d{3}', '', '🙂🙂 é 123', ['123']],
  ])('%s', (_, source, flags, text, expected) => {
    expect(found({ any: [pattern(source, flags)] }, text)).toEqual(expected)
  })

  test.each([
    ['(?=x)y', /Lookaround/],
    ['(a)\\1', /Back-references/],
    ['\\u0041', /\\x\{1F642\}/],
    ['x{2000}', /At most 1000/],
    ['(', /not a valid RE2 pattern/],
    ['a*', /empty text/],
    ['((?:abcdefghij){100}){10}', /too large/],
  ])('%s is refused with advice', (source, problem) => {
    const compiled = compilePattern(source)
    expect('problem' in compiled ? compiled.problem : '').toMatch(problem)
  })

  test.each(['(a+)+$', '(?:a|aa)+$', '.*.*=.*', '\\s*,\\s*$', '(x+x+)+y', '^(\\w+\\s?)*$'])(
    '%s takes no longer for hostile text than for other text',
    (source) => {
      const compiled = compilePattern(source)
      if ('problem' in compiled) return
      const started = cpuMs()
      for (const text of ['a'.repeat(50_000), ' '.repeat(50_000), 'x'.repeat(50_000)]) {
        for (const _ of compiled.findAll(text)) break
      }
      expect(cpuMs() - started).toBeLessThan(2_000)
    },
  )

  test('never show what they matched', () => {
    const secretly = fc.stringMatching(/^[0-9]{6}$/)
    fc.assert(
      fc.property(secretly, fc.string({ maxLength: 40 }), (number, around) => {
        const document = toDocument(`${around} HB-${number} ${around.replaceAll(number, '')}`)
        const definition = { key: 'k', findingType: 'K', category: 'C', severity: 'LOW', confidence: 0.8 }
        const rule = { any: [pattern('HB-\\d{6}')] }
        const { findings } = runRequest(
          document,
          { asset, detectors: [{ type: 'CUSTOM', config: { definitions: [{ ...definition, rule }] } }], now: 0 },
          { fingerprint: createFingerprinter(new Uint8Array(32)) },
        )
        expect(findings.length).toBeGreaterThan(0)
        for (const { excerpt } of findings) expect(excerpt).not.toContain(`HB-${number}`)
      }),
      { numRuns: 50 },
    )
  })
})

describe('columns', () => {
  const column = { type: 'COLUMN', keywords: ['customer id', 'salary'] }
  const name = (text: string, label = 'column'): Part => ({ kind: 'name', text, path: `Sales.${text}`, label })
  const cell = (text: string, label: string): Part => ({ kind: 'cell', text, path: 'Sheet1!A1', label })
  const columnsIn = (...parts: Part[]) => run({ any: [column] }, toDocument(...parts)).map(({ part }) => part)

  test.each(['customerId', 'Customer_ID', 'CUSTOMER ID', 'Monthly salary'])('%s', (text) => {
    expect(columnsIn(name(text))).toEqual([0])
  })
  test('match measures, but not table names or other words', () => {
    expect(columnsIn(name('Salary', 'measure'), name('Salary', 'table'), name('customers'))).toEqual([0])
  })
  test('report a column of a sheet once, without its cells', () => {
    const matches = run({ any: [column] }, toDocument(cell('4100', 'Salary'), cell('5200', 'Salary')))
    expect(matches).toHaveLength(1)
    expect(matches[0]).not.toHaveProperty('shown')
  })
})

describe('facts', () => {
  test.each<[string, object, Partial<AssetFacts>, boolean]>([
    ['name contains', fact('name', 'CONTAINS', 'plan', 'draft'), { name: 'The Draft' }, true],
    ['name equals', fact('name', 'EQUALS', 'plan'), {}, true],
    ['name starts', fact('name', 'STARTS_WITH', 'pl'), {}, true],
    ['name matches', fact('name', 'MATCHES', '^p.an$'), {}, true],
    ['name does not match', fact('name', 'MATCHES', '^an$'), {}, false],
    ['any label', fact('label', 'EQUALS', 'secret'), { labels: ['old', 'Secret'] }, true],
    ['no label', fact('label', 'MISSING'), {}, true],
    ['an owner', fact('owner', 'PRESENT'), { owner: 'Ada' }, true],
    ['no owner', fact('owner', 'PRESENT'), {}, false],
    [
      'edited before',
      fact('contentUpdatedAt', 'BEFORE', '2025-01-01'),
      { contentUpdatedAt: Date.UTC(2024, 5, 1) },
      true,
    ],
    [
      'edited after',
      fact('contentUpdatedAt', 'AFTER', '2025-01-01'),
      { contentUpdatedAt: Date.UTC(2024, 5, 1) },
      false,
    ],
    ['of an unknown date', fact('contentUpdatedAt', 'BEFORE', '2025-01-01'), {}, false],
  ])('%s', (_, condition, facts, expected) => {
    const matches = run({ all: [condition] }, toDocument('some text'), facts)
    expect(matches.length === 1).toBe(expected)
  })

  test('without other conditions report the asset itself once', () => {
    const rule = { all: [fact('kind', 'EQUALS', 'wiki.page')] }
    expect(run(rule, toDocument('one', 'two'))).toMatchObject([{ part: 0, shown: 'the whole asset', identity: '' }])
    expect(run(rule, toDocument())).toEqual([])
  })
})

describe('combinations', () => {
  const text = 'The budget of Blue Heron is secret. Grey Heron is public.'
  test.each<[string, Partial<Record<keyof Rule, unknown>>, string[]]>([
    ['all report the first', { all: [words('heron'), words('secret')] }, ['Heron', 'Heron']],
    ['all fail by one', { all: [words('heron'), words('goose')] }, []],
    ['any report each', { any: [words('budget'), words('secret'), words('goose')] }, ['budget', 'secret']],
    ['any together with all', { all: [words('budget')], any: [words('goose'), words('secret')] }, ['budget']],
    ['any together with all, of which none matches', { all: [words('budget')], any: [words('goose')] }, []],
    ['none', { any: [words('budget')], none: [words('public')] }, []],
    ['near', { all: [words('heron'), words('secret')], within: 5 }, ['Heron']],
    ['near any', { all: [words('heron')], any: [words('public')], within: 5 }, ['Heron']],
    ['not near', { any: [words('heron')], none: [words('secret')], within: 5 }, ['Heron']],
    ['a fact and a text', { all: [fact('name', 'EQUALS', 'plan'), words('budget')] }, ['budget']],
    ['a fact that is not true', { all: [fact('name', 'EQUALS', 'x'), words('budget')] }, []],
    ['no fact', { any: [words('budget')], none: [fact('name', 'EQUALS', 'plan')] }, []],
    ['a text or a fact', { any: [words('budget'), fact('name', 'EQUALS', 'plan')] }, ['budget']],
  ])('%s', (_, rule, expected) => {
    expect(found(rule, text)).toEqual(expected)
  })

  test('conditions with `within` match only within the same part', () => {
    const rule = { all: [words('blue'), words('heron')], within: 100 }
    expect(run(rule, toDocument('blue', 'heron'))).toEqual([])
    expect(run(rule, toDocument('blue heron'))).toHaveLength(1)
  })

  test('asset kinds and containers restrict the assets that a detector examines', () => {
    const definition = { key: 'k', findingType: 'K', category: 'C', severity: 'LOW', confidence: 0.8 }
    const rule = { any: [words('budget')] }
    const matches = (narrow: object) => {
      const config = customDetector.config.parse({ definitions: [{ ...definition, rule, ...narrow }] })
      return [...customDetector.detect(toDocument(text), { asset: { ...asset, container: 'Ops' }, config, now: 0 })]
        .length
    }
    expect(matches({ assetKinds: ['wiki.page'], containers: ['Ops'] })).toBe(1)
    expect(matches({ assetKinds: ['bi.report'] })).toBe(0)
    expect(matches({ containers: ['Eng'] })).toBe(0)
  })
})

test('a thousand keywords over two million characters take no longer than two seconds', () => {
  const rule = { any: [words(...Array.from({ length: 1_000 }, (_, index) => `keyword${index}`))] }
  const text = 'nothing of it but keyword here and there '.repeat(50_000)
  run(rule, toDocument('warm up'))
  const started = cpuMs()
  run(rule, toDocument(text))
  expect(cpuMs() - started).toBeLessThan(2_000)
})

test('a pattern that takes too long on a document ends with a warning, and other detectors still run', () => {
  const rule = { any: [pattern('(?:\\w+\\s*){50}\\d')] }
  const definition = { key: 'k', findingType: 'K', category: 'C', severity: 'LOW', confidence: 0.8, rule }
  const document = toDocument(...Array.from({ length: 200 }, () => 'ab '.repeat(20_000)), 'mail ana@globex.de')
  const detectors = [{ type: 'CUSTOM', config: { definitions: [definition] } }, { type: 'PII' }]
  const fingerprint = createFingerprinter(new Uint8Array(32))
  const started = cpuMs()
  const result = runRequest(document, { asset, detectors, now: 0 }, { fingerprint, limitMs: 1_000 })
  expect(cpuMs() - started).toBeLessThan(8_000)
  expect(result.warnings).toEqual([{ code: 'budget_exceeded', message: expect.stringMatching(/^CUSTOM .*1000 ms/) }])
  expect(result.findings.map(({ findingType }) => findingType)).toEqual(['EMAIL'])
})
