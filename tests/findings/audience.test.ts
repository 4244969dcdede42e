import { beforeEach, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { call } from '../../src/operation/operation.ts'
import { openContext, type TestContext } from '../support/context.ts'
import { importLine } from '../support/import-line.ts'

let context: TestContext
beforeEach(() => {
  context = openContext()
})

function run(name: string, input: object) {
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  // biome-ignore lint/suspicious/noExplicitAny: the answers are checked by their members
  return call(operation, input, context) as Promise<any>
}

async function* toBytes(lines: readonly string[]) {
  yield new TextEncoder().encode(lines.join('\n'))
}
const load = (lines: readonly string[]) =>
  importFindings(toBytes(lines), { source: 'scanner', format: 'ndjson' }, context)
const of = (key: string, audience: object) =>
  importLine(key, { asset: { key, ...audience }, firstDetectedAt: '2025-01-01T08:00:00Z' })

it('of an imported asset is kept until a line gives another, and each change is in its history', async () => {
  await load([of('a', { audience: 'group', audienceSize: 12 }), of('b', {})])
  expect(await run('get_asset', { id: 'a' })).toMatchObject({
    audience: 'group',
    audienceSize: 12,
    audienceChanges: [],
  })
  expect(await run('get_asset', { id: 'b' })).toMatchObject({ audience: 'unknown' })
  await load([of('a', {})])
  expect(await run('get_asset', { id: 'a' })).toMatchObject({
    audience: 'group',
    audienceSize: 12,
    audienceChanges: [],
  })
  await load([of('a', { audience: 'people', audienceSize: 3 }), of('a', { audience: 'everyone' })])
  const changed = await run('get_asset', { id: 'a' })
  expect(changed).toMatchObject({
    audience: 'everyone',
    audienceChanges: [{ from: 'group', fromSize: 12, to: 'everyone' }],
  })
  expect(changed).not.toHaveProperty('audienceSize')
})

it('selects and groups findings and assets', async () => {
  await load([
    of('a', { audience: 'anonymous' }),
    of('b', { audience: 'everyone', audienceSize: 500 }),
    of('c', { audience: 'people', audienceSize: 2 }),
    of('d', {}),
  ])
  const keysOf = async (filters: object) =>
    (await run('search_findings', filters)).items.map(({ asset }: { asset: { key: string } }) => asset.key).sort()
  expect(await keysOf({ audiences: ['anonymous', 'everyone'] })).toEqual(['a', 'b'])
  expect(await keysOf({ ranges: { audienceSize: { min: 2, max: 500 } } })).toEqual(['c'])
  expect(await keysOf({ ranges: { audienceSize: { above: 2 } } })).toEqual(['b'])
  expect(await keysOf({ exclude: { audiences: ['unknown'], ranges: { audienceSize: { upTo: 2 } } } })).toEqual([
    'a',
    'b',
  ])
  const grouped = await run('query_metric', { metricSlug: 'total-findings', dimensions: ['audience'] })
  expect(grouped.breakdown.map(({ dimensions }: { dimensions: object }) => dimensions)).toEqual(
    ['anonymous', 'everyone', 'people', 'unknown'].map((audience) => ({ audience })),
  )
})

it('makes the secrets that everyone can read a number, which a watch observes and a comparison explains', async () => {
  const secret = (key: string, audience: string) =>
    importLine(key, { asset: { key, audience }, detectorType: 'SECRETS', firstDetectedAt: '2025-01-10T08:00:00Z' })
  await load([secret('a', 'group'), secret('b', 'everyone'), of('c', { audience: 'everyone' })])
  const metricSlug = 'exposed-secrets'
  const range = { from: '2025-01-01', to: '2025-01-31', compare: 'previous_period', explain: true }
  const compared = await run('query_metric', { metricSlug, dimensions: ['audience'], ...range })
  expect(compared).toMatchObject({ value: 1, breakdown: [{ dimensions: { audience: 'everyone' }, value: 1 }] })
  expect(compared.driverDimensions.map((each: { dimension: string }) => each.dimension)).toContain('audience')
  await run('create_watch', { slug: 'leaks', displayName: 'Leaks', metricSlug, condition: { kind: 'above', value: 0 } })
  expect(await run('check_watches', {})).toMatchObject({ items: [{ slug: 'leaks', state: 'FIRING' }] })
})

it('is shown in lockdown, which withholds names', async () => {
  await load([of('a', { audience: 'people', audienceSize: 2 })])
  context.lockdown = true
  const { asset, ...finding } = (await run('search_findings', {})).items[0]
  expect(finding).toMatchObject({ audience: 'people', audienceSize: 2 })
  expect(asset.name).toBe('(withheld)')
})
