import { afterEach, beforeEach, expect, it } from 'vitest'
import { attachmentOf, pageOf, startWiki, stopWikis } from '../connectors/wiki/support.ts'
import { replaceAttachment } from '../sample/edits.ts'
import { wikiConfig } from './platform.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

let bench: Workbench
beforeEach(() => {
  bench = openSectionedBench()
})
afterEach(async () => {
  await bench.close()
  await stopWikis()
})

const text = (...words: string[]) => new TextEncoder().encode(words.join(`\n${'filler text '.repeat(200)}\n`))
const statuses = () => Object.fromEntries(listKept(bench).map(({ excerpt, status }) => [excerpt, status]))
const limitTo = (bytes: number) =>
  bench.run('update_source', { id: 'fake', config: { optional: { content: { attachment_max_bytes: bytes } } } })

it('findings beyond attachment_max_bytes are not resolved until the whole file is read again', async () => {
  const wiki = await startWiki({
    pages: [pageOf('10', { body: '<p>no finding</p>' })],
    attachments: [attachmentOf('att5', '10', { bytes: text('word:first', 'word:second', 'word:third') })],
  })
  await bench.run('create_source', { name: 'fake', config: wikiConfig(wiki.url) })
  expect((await bench.scan()).warnings).toEqual([])
  const found = Object.keys(statuses())
  expect(Object.values(statuses())).toEqual(['OPEN', 'OPEN', 'OPEN'])

  await limitTo(1_024)
  const cut = await bench.scan()
  expect([cut.status, cut.warnings.map(({ code }) => code)]).toEqual([
    'COMPLETED',
    ['attachment_too_large', 'not_read'],
  ])
  expect(Object.values(statuses())).toEqual(['OPEN', 'OPEN', 'OPEN'])

  replaceAttachment(wiki.tenant, 'att5', text('word:first', 'nothing', 'word:third', 'word:fourth'))
  const changed = await bench.scan()
  expect(changed.warnings.map(({ code }) => code)).toContain('attachment_too_large')
  expect(found.map((excerpt) => statuses()[excerpt])).toEqual(['OPEN', 'OPEN', 'OPEN'])

  await limitTo(5_242_880)
  expect((await bench.scan()).warnings).toEqual([])
  expect(Object.values(statuses()).sort()).toEqual(['OPEN', 'OPEN', 'OPEN', 'RESOLVED'])
})
