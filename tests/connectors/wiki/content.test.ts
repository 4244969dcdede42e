import { afterEach, describe, expect, test } from 'vitest'
import { deleteComment } from '../../sample/edits.ts'
import { onPath, type SampleFault } from '../../sample/fault.ts'
import {
  attachmentOf,
  checksumsOf,
  commentOf,
  crawlAll,
  openWiki,
  pageOf,
  prefix,
  reasonOf,
  spaceOf,
  startWiki,
  stopWikis,
} from './support.ts'

afterEach(stopWikis)

const spaces = ['1', '2', '3'].map((id) => spaceOf(id))
const oneOfMany = { optional: { scope: { spaces: { keys: ['S1'] } } } }
const key = `${prefix}:comments:1001`

describe('page bodies', () => {
  test('of ten megabytes, with deep macros, split CDATA and broken markup, keep their text', async () => {
    const deep = 200
    const macros = `${'<ac:structured-macro ac:name="panel"><ac:rich-text-body>'.repeat(deep)}deepest word${'</ac:rich-text-body></ac:structured-macro>'.repeat(deep)}`
    const code =
      '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[key = "a]]]]><![CDATA[>b"]]></ac:plain-text-body></ac:structured-macro>'
    const body = `${macros}${code}<p>ghp_<em>ab</em>cd</p><p>broken <b><i>nested</b></i> &nbsp; & <unknown:tag>kept${'<p>filler text</p>'.repeat(600_000)}<p>last word`
    expect(body.length).toBeGreaterThan(10_000_000)
    const wiki = await startWiki({ pages: [pageOf('10', { body })] })
    const { texts, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    const text = texts.get(`${prefix}:page:10`) ?? ''
    for (const word of ['deepest word', 'key = "a]]>b"', 'ghp_abcd', 'kept', 'last word']) expect(text).toContain(word)
  }, 180_000)
})

describe('comments', () => {
  const content = () => ({
    spaces,
    pages: [pageOf('1001'), pageOf('1002')],
    comments: [
      commentOf('70', '1001'),
      commentOf('71', '1001', { parentId: '70' }),
      commentOf('72', '1001', { kind: 'inline', resolution: 'dangling' }),
      commentOf('73', '1001', { kind: 'inline', resolution: 'resolved' }),
      commentOf('74', '1001'),
    ],
  })
  const broken: SampleFault = { match: onPath(/\/70\/children$/), respond: { status: 500 } }

  test('are included when they are resolved or their text is gone, and omitted when they are deleted', async () => {
    const wiki = await startWiki(content())
    deleteComment(wiki.tenant, '74')
    const { texts } = await crawlAll(openWiki(wiki.url, oneOfMany))
    expect(texts.get(key)).toBe('comment 70|comment 71|comment 72|comment 73')
  })

  test('without their replies are a partially read asset, which the next scan completes', async () => {
    const wiki = await startWiki(content(), { faults: [broken] })
    const first = await crawlAll(openWiki(wiki.url, oneOfMany))
    expect(first.texts.get(key)).toBe('comment 70|comment 72|comment 73|comment 74')
    expect(first.assets.get(key)?.unread).toEqual([
      { section: 'footer/70/replies', reason: 'failed', detail: 'server_error' },
    ])
    expect(first.warnings).toEqual(['comments_unavailable'])
    wiki.faults.splice(0)
    const second = await crawlAll(openWiki(wiki.url, oneOfMany), checksumsOf(first))
    expect(second.texts.get(key)).toContain('comment 71')
    expect(second.assets.get(key)?.unread).toEqual([])
  })

  test('are read as far as possible while replies cannot be read, even if they were complete before', async () => {
    const wiki = await startWiki(content())
    const first = await crawlAll(openWiki(wiki.url, oneOfMany))
    wiki.faults.push(broken)
    const second = await crawlAll(openWiki(wiki.url, oneOfMany), checksumsOf(first))
    expect(second.texts.get(key)).toBe('comment 70|comment 72|comment 73|comment 74')
    expect(second.assets.get(key)?.unread).toMatchObject([{ section: 'footer/70/replies' }])
    expect(second.warnings).toEqual(['comments_unavailable'])
  })
})

describe('attachments', () => {
  test.each<[string, SampleFault['respond'], string]>([
    ['refused by the media host', { status: 403 }, 'forbidden'],
    ['replaced by a sign-in page', 'html', 'download_failed'],
    ['broken off', 'truncate', 'network'],
    ['dropped', 'reset', 'network'],
  ])('that are %s are reported as failed and read by the next scan', async (_name, respond, reason) => {
    const attachment = attachmentOf('att5', '1001', { title: 'a.pdf', mediaType: 'application/pdf' })
    const wiki = await startWiki(
      { pages: [pageOf('1001')], attachments: [attachment] },
      { faults: [{ match: onPath(/\/binary$/), respond }] },
    )
    const { assets, failures, error } = await crawlAll(openWiki(wiki.url))
    expect(error).toBeUndefined()
    expect(reasonOf(failures.get(`${prefix}:attachment:att5`))).toBe(reason)
    expect(assets.get(`${prefix}:attachment:att5`)?.facts?.contentStatus).toBe('download_failed')
  })

  test('with the same title are distinguished by their ids', async () => {
    const attachments = ['att5', 'att6'].map((id) => attachmentOf(id, '1001', { title: 'same.txt' }))
    const wiki = await startWiki({ pages: [pageOf('1001')], attachments })
    const { texts } = await crawlAll(openWiki(wiki.url))
    expect(['att5', 'att6'].map((id) => texts.get(`${prefix}:attachment:${id}`))).toEqual([
      'same.txt|bytes of att5',
      'same.txt|bytes of att6',
    ])
  })
})
