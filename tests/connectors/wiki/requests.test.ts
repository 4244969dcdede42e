import { describe, expect, test } from 'vitest'
import { generatedWiki } from '../../sample/generated-wiki.ts'
import { startSampleWiki } from '../../sample/servers.ts'
import { isLong, maxMs } from '../../support/long.ts'
import { checksumsOf, crawlAll, openWiki } from './support.ts'

const SPACES = 3
const scopes = {
  all: {},
  one: { keys: ['GEN1'] },
  two: { keys: ['GEN1', 'GEN2'] },
  label: { labels: ['first'] },
}
type Scope = keyof typeof scopes
type Requests = Record<Scope, readonly [first: number, second: number]>

async function countRequests(pages: number, over: object): Promise<Requests> {
  const wiki = await startSampleWiki({
    tenant: generatedWiki({ pages, spaces: SPACES, sentences: 3, plantEvery: 0, ...over }),
  })
  try {
    const count = async (scope: Scope) => {
      const given = { optional: { scope: { spaces: scopes[scope] } } }
      wiki.requests.splice(0)
      const first = await crawlAll(openWiki(wiki.url, given))
      expect(first.error).toBeUndefined()
      const asked = wiki.requests.splice(0).length
      const second = await crawlAll(openWiki(wiki.url, given), checksumsOf(first))
      expect(second.texts.size).toBe(0)
      return [asked, wiki.requests.length] as const
    }
    return { all: await count('all'), one: await count('one'), two: await count('two'), label: await count('label') }
  } finally {
    await wiki.close()
  }
}

/** Requests of a second scan of the whole tenant before blog posts and archived pages were read. */
type Row = [pages: number, before: number, over?: object]
const bare = { commentEvery: 0, attachmentEvery: 0 }
const rows: Row[] = [
  [1, 10],
  [2, 11],
  [30, 18],
  [90, 30],
  [150, 42],
  [300, 72],
  [1, 10, bare],
  [30, 12, bare],
  [90, 12, bare],
  [150, 12, bare],
  [300, 12, bare],
]
const large: Row[] = [
  [3_000, 622],
  [10_000, 2_055],
  [3_000, 21, bare],
  [10_000, 51, bare],
]

describe('requests of a scan', () => {
  test.each(isLong ? [...rows, ...large] : rows)(
    'of %i pages: no more in some spaces than in all, and at most one more per space than %i in all',
    async (pages, before, over = {}) => {
      const requests = await countRequests(pages, over)
      for (const scope of ['one', 'two', 'label'] as const) {
        expect(requests[scope][0], `first scan, ${scope}`).toBeLessThanOrEqual(requests.all[0])
        expect(requests[scope][1], `second scan, ${scope}`).toBeLessThanOrEqual(requests.all[1])
      }
      expect(requests.all[1]).toBeLessThanOrEqual(before + Math.min(pages, SPACES))
    },
    maxMs(60_000),
  )
})
