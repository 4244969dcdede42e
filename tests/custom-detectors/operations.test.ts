import { describe, expect, test } from 'vitest'
import type { Connector } from '../../src/connectors/connector.ts'
import { createCustomOperations } from '../../src/custom-detectors/operations.ts'
import { installedPlugins } from '../../src/sources/operations.ts'
import { caller, errorOf, openContext } from '../support/context.ts'

const open = () => {
  const context = openContext()
  return {
    context,
    call: caller(createCustomOperations({ ...installedPlugins, connectors: [] as Connector[] }), context),
  }
}
const projects = {
  key: 'secret-projects',
  displayName: 'Secret projects',
  definition: {
    rule: { any: [{ type: 'KEYWORDS', keywords: ['Blue Heron'] }] },
    examples: { match: ['about Blue Heron'], noMatch: ['about a heron'] },
  },
}
const numbers = {
  key: 'customer-numbers',
  displayName: 'Customer numbers',
  definition: {
    severity: 'HIGH',
    rule: { any: [{ type: 'REGEX', pattern: 'HB-\\d{4}' }] },
    examples: { match: ['HB-1234'], noMatch: ['HB-12'] },
  },
}
const narrowed = { ...projects.definition, containers: ['Ops'] }

describe('custom detectors', () => {
  test('are stored completely, with defaults for omitted fields', async () => {
    const { call } = open()
    const created = await call('create_custom_detector', projects)
    expect(created).toMatchObject({
      key: 'secret-projects',
      findingType: 'SECRET_PROJECTS',
      severity: 'MEDIUM',
      enabled: true,
      version: 1,
      description: '',
      definition: {
        category: 'CUSTOM',
        confidence: 0.8,
        rule: { all: [], none: [], any: [{ type: 'KEYWORDS', wholeWords: true, caseSensitive: false }] },
      },
    })
    expect(await call('get_custom_detector', { key: 'secret-projects' })).toEqual(created)
    expect(await call('get_custom_detector', { key: created.id })).toEqual(created)
    await call('create_custom_detector', numbers)
    expect(await call('list_custom_detectors')).toMatchObject({
      total: 2,
      items: [{ key: 'customer-numbers', severity: 'HIGH' }, { key: 'secret-projects' }],
    })
  })

  test('change field by field, and get a new version when their definition changes', async () => {
    const { call, context } = open()
    await call('create_custom_detector', { ...projects, definition: narrowed })
    context.clock.now += 1_000
    const renamed = await call('update_custom_detector', { key: 'secret-projects', displayName: 'Projects' })
    expect(renamed).toMatchObject({ displayName: 'Projects', version: 1, definition: { containers: ['Ops'] } })
    expect(renamed.updatedAt > renamed.createdAt).toBe(true)
    const { definition } = projects
    const widened = await call('update_custom_detector', { key: 'secret-projects', definition })
    expect(widened).toMatchObject({ version: 2, displayName: 'Projects' })
    expect(widened.definition).not.toHaveProperty('containers')
    const same = await call('update_custom_detector', { key: 'secret-projects', definition })
    expect(same).toEqual(widened)
    const examples = { match: ['Blue Heron!'], noMatch: ['heron'] }
    const tried = await call('update_custom_detector', {
      key: 'secret-projects',
      definition: { ...definition, examples },
    })
    expect(tried).toMatchObject({ version: 2, definition: { examples } })
    expect(await call('update_custom_detector', { key: 'secret-projects', enabled: false })).toMatchObject({
      enabled: false,
      version: 2,
    })
  })

  test('are deleted, and an unknown key gets a suggestion', async () => {
    const { call } = open()
    await call('create_custom_detector', projects)
    expect(await errorOf(call('get_custom_detector', { key: 'secret-project' }))).toMatchObject({
      code: 'not_found',
      facts: { suggestions: [{ value: 'secret-projects' }] },
    })
    expect(await call('delete_custom_detector', { key: 'secret-projects' })).toMatchObject({ key: 'secret-projects' })
    expect(await errorOf(call('delete_custom_detector', { key: 'secret-projects' }))).toMatchObject({
      code: 'not_found',
    })
    expect(await call('list_custom_detectors')).toEqual({ items: [], total: 0 })
  })

  test('are unique by key', async () => {
    const { call } = open()
    await call('create_custom_detector', projects)
    expect(await errorOf(call('create_custom_detector', projects))).toMatchObject({
      code: 'conflict',
      facts: { reason: 'key_taken' },
    })
  })

  test('are recorded in the audit trail', async () => {
    const { call, context } = open()
    await call('create_custom_detector', projects)
    await call('update_custom_detector', { key: 'secret-projects', enabled: false })
    await call('delete_custom_detector', { key: 'secret-projects' })
    const trail = context.read((reader) =>
      reader.prepare(`SELECT action, kind, name, actor FROM audit WHERE kind = 'custom_detector'`).all(),
    )
    expect(trail).toEqual(
      ['create', 'update', 'delete'].map((action) => {
        return { action, kind: 'custom_detector', name: 'secret-projects', actor: 'local' }
      }),
    )
  })
})

describe('a definition that is refused', () => {
  const refused = async (change: object) => {
    const { call } = open()
    const definition = { ...numbers.definition, ...change }
    const error = await errorOf(call('create_custom_detector', { ...numbers, definition }))
    expect(error.code).toBe('invalid_input')
    expect(await call('list_custom_detectors')).toMatchObject({ total: 0 })
    return (error.facts.issues ?? []).map(({ path, message }) => `${path.replace('definition.', '')} ${message}`)
  }
  const rule = (...conditions: object[]) => ({ rule: { any: conditions } })
  const regex = (pattern: string, flags = '') => ({ type: 'REGEX', pattern, flags })
  const examples = (match: string[], noMatch: string[]) => ({ examples: { match, noMatch } })
  const fact = (field: string, operator: string, values: string[]) => ({ type: 'METADATA', field, operator, values })

  test.each<[string, object, RegExp[]]>([
    ['an example that is not found', examples(['HB-1234', 'x'], ['y']), [/^examples\.match\[1\] is not matched/]],
    ['a counter-example that is found', examples(['HB-1234'], ['HB-9999']), [/^examples\.noMatch\[0\] is matched/]],
    ['no example', examples([], ['y']), [/^examples\.match /]],
    ['no condition', { rule: { none: [{ type: 'KEYWORDS', keywords: ['x'] }] } }, [/^rule must have at least one/]],
    [
      'two bad patterns',
      rule(regex('(?=a)'), regex('a*')),
      [/^rule\.any\[0\]\.pattern .*Lookaround/, /^rule\.any\[1\]\.pattern matches the empty/],
    ],
    ['a long pattern', rule(regex('a'.repeat(513))), [/^rule\.any\[0\]\.pattern /]],
    ['unknown flags', rule(regex('a', 'g')), [/^rule\.any\[0\]\.flags /]],
    ['a blank keyword', rule({ type: 'KEYWORDS', keywords: [' '] }), [/^rule\.any\[0\]\.keywords\[0\] /]],
    ['a comparison without values', rule(fact('name', 'EQUALS', [])), [/values must name at least one/]],
    ['values without a comparison', rule(fact('owner', 'MISSING', ['x'])), [/values must not be given/]],
    ['a date of a name', rule(fact('name', 'BEFORE', ['2025-01-01'])), [/contentUpdatedAt requires BEFORE or AFTER/]],
    ['no date', rule(fact('contentUpdatedAt', 'BEFORE', ['soon'])), [/ISO 8601/]],
    ['a bad pattern for a fact', rule(fact('name', 'MATCHES', ['('])), [/values\[0\] is not a valid RE2 pattern/]],
    ['an unknown member', { rules: [] }, [/^rules is not a known key/]],
  ])('%s', async (_, change, issues) => {
    const told = await refused(change)
    expect(told).toHaveLength(issues.length)
    for (const [index, issue] of issues.entries()) expect(told[index]).toMatch(issue)
  })

  test('a key of another form', async () => {
    const { call } = open()
    const error = await errorOf(call('create_custom_detector', { ...numbers, key: 'Secret Projects' }))
    expect(error.facts.issues).toMatchObject([{ path: 'key' }])
  })

  test('a change that breaks an example', async () => {
    const { call } = open()
    await call('create_custom_detector', numbers)
    const definition = { ...numbers.definition, rule: { any: [{ type: 'REGEX', pattern: 'XX-\\d' }] } }
    expect(await errorOf(call('update_custom_detector', { key: 'customer-numbers', definition }))).toMatchObject({
      code: 'invalid_input',
    })
    expect(await call('get_custom_detector', { key: 'customer-numbers' })).toMatchObject({ version: 1 })
  })
})

describe('previewing a detector', () => {
  test('counts what it finds in texts, and shows some of it redacted', async () => {
    const { call } = open()
    const texts = ['HB-1234 and HB-5678', 'nothing', { text: 'HB-9999', name: 'Orders' }]
    const answer = await call('preview_custom_detector', { definition: numbers.definition, texts })
    expect(answer).toMatchObject({ examined: 3, matched: 2, hits: 3, warnings: [] })
    expect(answer).not.toHaveProperty('tooBroad')
    expect(JSON.stringify(answer)).not.toMatch(/HB-\d{4}/)
    expect(await call('list_custom_detectors')).toMatchObject({ total: 0 })
  })

  test('warns when it matches more than half of the samples', async () => {
    const { call } = open()
    await call('create_custom_detector', projects)
    const texts = Array.from({ length: 12 }, (_, index) => (index < 7 ? 'Blue Heron' : 'x'))
    const preview = await call('preview_custom_detector', { key: 'secret-projects', texts })
    expect(preview).toMatchObject({ examined: 12, matched: 7, tooBroad: true })
  })

  test.each<[string, object]>([
    ['neither key nor detector', { texts: ['x'] }],
    ['both', { key: 'a', definition: projects.definition, texts: ['x'] }],
    ['neither texts nor a source', { definition: projects.definition }],
    [
      'an invalid detector',
      { definition: { ...projects.definition, examples: { match: ['x'], noMatch: ['y'] } }, texts: ['x'] },
    ],
  ])('is refused with %s', async (_, input) => {
    const { call } = open()
    expect(await errorOf(call('preview_custom_detector', input))).toMatchObject({ code: 'invalid_input' })
  })

  test('is refused for an unknown source', async () => {
    const { call } = open()
    const asked = { definition: projects.definition, source: 'nowhere' }
    expect(await errorOf(call('preview_custom_detector', asked))).toMatchObject({ code: 'not_found' })
  })
})
