import type { Log } from '../../runtime/log.ts'
import { endsScan } from '../failure.ts'
import type { WikiClient } from './client.ts'
import type { WikiContent } from './content.ts'
import { messageOf, settleRefusal } from './failure.ts'
import { readList } from './listing.ts'
import { LabelWire, PageWire } from './wire.ts'

/** With more labels than this, listing the pages of each costs too many requests. */
const MAX_LABELS = 100

/**
 * Returns a lookup of the sorted labels of a page, read once from the site's list of labels; undefined where that list
 * is not available, and of blog posts, which no list of a label contains.
 */
export function createLabelIndex(
  { http, isSignedIn }: WikiClient,
  log: Log,
): (content: Pick<WikiContent, 'type' | 'id'>) => Promise<readonly string[] | undefined> {
  let index: Promise<Map<string, string[]> | undefined> | undefined

  const read = async () => {
    const byPage = new Map<string, string[]>()
    const labels = await readList(http, { path: '/labels', item: LabelWire })
    if (labels.length > MAX_LABELS) {
      log.info('labels of pages are not read: the site has too many', { labels: labels.length })
      return undefined
    }
    const pages = await Promise.all(
      labels.map(({ id }) => readList(http, { path: `/labels/${encodeURIComponent(id)}/pages`, item: PageWire })),
    )
    for (const [position, { name }] of labels.entries()) {
      for (const { id } of pages[position] ?? []) {
        const names = byPage.get(id)
        if (names === undefined) byPage.set(id, [name])
        else if (!names.includes(name)) names.push(name)
      }
    }
    for (const names of byPage.values()) names.sort()
    return byPage
  }

  return async ({ type, id }) => {
    if (type !== 'page') return undefined
    index ??= read().catch(async (failure: unknown) => {
      const error = await settleRefusal(failure, isSignedIn)
      if (endsScan(error)) throw error
      log.info('labels of pages are not read', { why: messageOf(error) })
      return undefined
    })
    const byPage = await index
    return byPage === undefined ? undefined : (byPage.get(id) ?? [])
  }
}
