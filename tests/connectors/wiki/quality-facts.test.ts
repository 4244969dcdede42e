import { afterEach, describe, expect, test } from 'vitest'
import { checksumsOf, commentOf, crawlAll, openWiki, pageOf, prefix, startWiki, stopWikis } from './support.ts'

afterEach(stopWikis)

const minute = (at: number) => Date.UTC(2026, 0, 5, 8, at)
const account = (closed: boolean) => ({ accountId: 'u7', displayName: 'Ann Example', email: '', closed })

describe('the status of an owner', () => {
  const pages = [pageOf('10', { ownerId: 'u7' }), pageOf('11', { ownerId: 'stranger' })]
  const statusIn = ({ assets }: Awaited<ReturnType<typeof crawlAll>>, id: string) =>
    assets.get(`${prefix}:page:${id}`)?.facts?.ownerStatus

  test('is known where the platform knows the account', async () => {
    const wiki = await startWiki({ pages })
    wiki.tenant.addUser(account(false))
    const crawled = await crawlAll(openWiki(wiki.url))
    expect([statusIn(crawled, '10'), statusIn(crawled, '11')]).toEqual(['active', undefined])
  })

  test('makes only the pages of an owner whose account was closed count as changed', async () => {
    const wiki = await startWiki({ pages })
    wiki.tenant.addUser(account(false))
    const first = await crawlAll(openWiki(wiki.url))
    wiki.tenant.addUser(account(true))
    const second = await crawlAll(openWiki(wiki.url), checksumsOf(first))
    expect([...second.texts.keys()]).toEqual([`${prefix}:page:10`])
    expect(statusIn(second, '10')).toBe('gone')
    expect((await crawlAll(openWiki(wiki.url), checksumsOf(second))).texts.size).toBe(0)
  })

  test.each([true, false])('changes nothing while accounts cannot be requested (closed: %s)', async (closed) => {
    const wiki = await startWiki({ pages })
    wiki.tenant.addUser(account(closed))
    const first = await crawlAll(openWiki(wiki.url))
    const known = checksumsOf(first)
    wiki.tenant.users.clear()
    const second = await crawlAll(openWiki(wiki.url), known)
    expect(second.texts.size).toBe(0)
    expect(checksumsOf(second)).toEqual(known)
  })
})

describe('open inline comments', () => {
  const inline = (id: string, more: object = {}) => commentOf(id, '10', { kind: 'inline', ...more })
  const openSince = async (comments: ReturnType<typeof commentOf>[], optional: object = {}) => {
    const wiki = await startWiki({ pages: [pageOf('10')], comments })
    const { assets } = await crawlAll(openWiki(wiki.url, { optional }))
    return assets.get(`${prefix}:comments:10`)?.facts?.openSince
  }

  test('are recorded with the time of the newest comment', async () => {
    const comments = [
      inline('20', { resolution: 'open' }),
      inline('25', { parentId: '20' }),
      inline('30', { resolution: 'reopened' }),
      inline('40', { resolution: 'resolved' }),
      inline('41', { resolution: 'dangling' }),
      commentOf('50', '10'),
    ]
    expect(await openSince(comments)).toEqual([minute(25), minute(30)])
    await stopWikis()
    expect(await openSince([commentOf('50', '10')])).toEqual([])
  })

  test('are unknown where inline comments are not read', async () => {
    const content = { include_inline_comments: false }
    expect(await openSince([commentOf('50', '10')], { content })).toBeUndefined()
  })
})
