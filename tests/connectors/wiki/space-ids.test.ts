import { afterEach, expect, test } from 'vitest'
import { WikiConfig } from '../../../src/connectors/wiki/config.ts'
import { configOf, openWiki, spaceOf, startWiki, stopWikis } from './support.ts'

afterEach(stopWikis)

const large = '9007199254740993'
const isSpaces = ({ path, query }: { path: string; query: URLSearchParams }) =>
  path.endsWith('/spaces') && query.has('ids')

test('ids of spaces are sent to the wiki without rounding, whether numbers or strings of digits', async () => {
  const wiki = await startWiki({ spaces: [spaceOf('7'), spaceOf(large)] })
  const spaces = { ids: [7, large] }
  const { scopes, warnings } = await openWiki(wiki.url, { optional: { scope: { spaces } } }).scopes()
  expect([scopes.map(({ key }) => key), warnings]).toEqual([['7', large], []])
  expect(wiki.requests.find(isSpaces)?.query.get('ids')).toBe(`7,${large}`)
})

test('a number that is too large to be exact is refused with the advice to write a string', () => {
  const { error } = WikiConfig.safeParse({
    ...configOf('http://127.0.0.1:1'),
    optional: { scope: { spaces: { ids: JSON.parse(`[${large}]`) } } },
  })
  expect(error?.issues).toMatchObject([{ path: ['optional', 'scope', 'spaces', 'ids', 0] }])
  expect(error?.issues[0]?.message).toContain('as strings, such as "9007199254740993"')
})

test('a deleted space is recognized by its id, even if it exceeds 2^53', async () => {
  const wiki = await startWiki({ spaces: [spaceOf('7'), spaceOf(large)] })
  const session = openWiki(wiki.url, { optional: { scope: { spaces: { ids: [7] } } } })
  await session.scopes()
  expect([...((await session.findLeft?.([large, '12'])) ?? [])]).toEqual([[large, 'left_out']])
})
