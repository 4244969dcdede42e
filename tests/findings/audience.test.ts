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
