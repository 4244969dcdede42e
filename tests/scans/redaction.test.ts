import fc from 'fast-check'
import { strToU8, zipSync } from 'fflate'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { detectorDescriptions } from '../../src/detectors/descriptions.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { AssayDocument } from '../../src/documents/document.ts'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { readDocument, readText } from '../../src/documents/reader.ts'
import type { Finding, FindingDetail } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { isLong } from '../support/long.ts'
import { contentOf } from '../support/new-store.ts'
import { createTenant, type FakeTenant, pluginsFor } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const fingerprint = createFingerprinter(new Uint8Array(32))
const mixed = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const body = (length: number) =>
  fc.shuffledSubarray([...mixed], { minLength: length, maxLength: length }).map((list) => list.join(''))
const digits = (length: number) =>
  fc.array(fc.constantFrom(...'123456789'), { minLength: length, maxLength: length }).map((list) => list.join(''))

/** A value that must be found, with the words that it needs around it. */
const planted = fc.oneof(
  body(36).map((token) => ({ value: `gh${'p_'}${token}`, text: `gh${'p_'}${token}` })),
  body(14).map((word) => ({ value: `Xy7!${word}`, text: `password: Xy7!${word}` })),
  digits(7).map((number) => ({ value: `+49 170 ${number}`, text: `phone +49 170 ${number}` })),
  body(9).map((name) => ({ value: `${name.toLowerCase()}@globex.de`, text: `mail ${name.toLowerCase()}@globex.de` })),
)

/** One format of the platform: how a text is written in it, and how it is read. */
interface Format {
  noise: readonly string[]
  write: (text: string) => string
  read: (source: string) => AssayDocument | Promise<AssayDocument>
  /** What offsets count in, where that is not the source: the text of a packed file. */
  isPacked?: boolean
}

const words = (source: string) =>
  `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>${source}</w:t></w:r></w:p></w:body></w:document>`
const formats: Record<string, Format> = {
  'storage format': {
    noise: ['&amp; ', '😀 ', '&#128512; ', '<b>x</b> ', '&uuml; ', '<br/>', '<ac:emoticon ac:name="smile"/>'],
    write: (text) => `<p>${text}</p>`,
    read: (source) => parseStorage(source),
  },
  HTML: {
    noise: ['&amp; ', '😀 ', '&eacute; ', '<i>x</i> ', '<!-- c -->', '<br>'],
    write: (text) => `<html><body><p>${text}</p></body></html>`,
    read: (source) => readText(source, { mime: 'text/html' }),
  },
  Markdown: {
    noise: ['😀 ', '**x** ', '&amp; ', '\n\n', 'é '],
    write: (text) => `# Title\n\n${text}\n`,
    read: (source) => readText(source, { mime: 'text/markdown' }),
  },
  'plain text': { noise: ['😀 ', '\n', 'é ', '\t'], write: (text) => text, read: (source) => readText(source) },
  CSV: {
    noise: ['😀 ', 'é ', 'x '],
    write: (text) => `note,other\n"😀 ""a"" ${text}",b\n`,
    read: (source) => readText(source, { mime: 'text/csv' }),
  },
  Word: {
    noise: ['&amp; ', '😀 ', 'é '],
    write: words,
    isPacked: true,
    read: async (source) => {
      const result = await readDocument(zipSync({ 'word/document.xml': strToU8(source) }))
      if (!('document' in result)) throw new Error(result.reason)
      return result.document
    },
  },
}

let tenant: FakeTenant
let bench: Workbench
let document: AssayDocument
const replies: string[] = []
const detect: Detect = async (_, request) => runRequest(document, request, { fingerprint })

beforeEach(async () => {
  tenant = createTenant({ ENG: 1 })
  const plugins = { ...pluginsFor(tenant), detectors: detectorDescriptions }
  bench = openWorkbench(tenant, { extra: findingOperations, detect, plugins, estate: [] })
  await createFake(bench, { detectors: [{ type: 'SECRETS' }, { type: 'PII' }] })
  replies.length = 0
})
afterEach(() => bench.close())

async function ask<T>(operation: string, input: Record<string, unknown> = {}): Promise<T> {
  const reply = await bench.run<T>(operation, input)
  replies.push(JSON.stringify(reply))
  return reply
}

const stored = () => contentOf(bench.store)

it.each(Object.keys(formats))(
  'a match in %s is located in the original, and its value is neither stored nor shown',
  async (name) => {
    const format = formats[name]
    if (format === undefined) throw new Error(name)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...format.noise), { maxLength: 6 }),
        planted,
        fc.boolean(),
        async (noise, { value, text }, twice) => {
          const source = format.write(`${noise.join('')}${text}${twice ? ` again ${value}` : ''}`)
          document = await format.read(source)
          const page = tenant.spaces[0]?.pages[0]
          if (page !== undefined) page.body = source
          await bench.scan()
          const { items } = await ask<{ items: Finding[] }>('search_findings', { statuses: ['OPEN'] })
          const original = format.isPacked === true ? (document.parts[0]?.text ?? '') : source
          const places = items.map(({ location }) => original.slice(location?.start, location?.end))
          expect(places).toContain(value)
          for (const { id } of items) await ask<FindingDetail>('get_finding', { id })
          expect(replies.join('')).not.toContain(value)
          expect(stored()).not.toContain(value)
        },
      ),
      { seed: 7, numRuns: isLong ? 12 : 5 },
    )
  },
  120_000,
)

it('names, addresses and links are shown without credentials that they contain', async () => {
  await fc.assert(
    fc.asyncProperty(body(14), body(36), async (word, token) => {
      const [password, key] = [`Xy7!${word}`, `gh${'p_'}${token}`]
      document = { mime: 'text/plain', parts: [{ kind: 'text', text: 'nothing', path: 'body' }], links: [] }
      const page = tenant.spaces[0]?.pages[0]
      if (page !== undefined) {
        page.title = `Prod DB password: ${password}`
        page.body = `${word}`
        page.facts = { note: `api key ${key}` }
        page.links = [
          {
            type: 'links_to',
            url: `https://shop.example/a?access_token=${word}1&x=${key}`,
            label: `pwd = ${password}`,
          },
          { type: 'links_to', url: `https://me:${word}1@shop.example/b`, path: `password: ${password}` },
        ]
      }
      await bench.scan()
      const { items } = await ask<{ items: { id: string; name: string }[] }>('list_assets')
      for (const { id } of items) await ask('get_asset', { id })
      expect(items[0]?.name).toBe('Prod DB password: ********')
      for (const secret of [password, token, `${word}1`]) {
        expect(replies.join('')).not.toContain(secret)
        expect(stored()).not.toContain(secret)
      }
    }),
    { seed: 7, numRuns: isLong ? 10 : 4 },
  )
}, 120_000)

it('what a person chose is nowhere stored or shown, and its finding says why it was reported', async () => {
  const values = ['lanternfish', 'geese cross our', '459071', 'admin1234', 'Whiskersby']
  const source = [
    `Password for the projector: ${values[0]}`,
    `Passphrase of the backup: nine grey ${values[1]} road`,
    `Door code of the garage: ${values[2]}`,
    `The camera still has its factory login: admin / ${values[3]}`,
    `Security question: first pet`,
    `Answer: ${values[4]}`,
  ].join('\n')
  document = readText(source) as AssayDocument
  const page = tenant.spaces[0]?.pages[0]
  if (page !== undefined) {
    page.body = source
    page.title = `Projector, password: ${values[0]}`
  }
  await bench.scan()
  const { items } = await ask<{ items: Finding[] }>('search_findings', { statuses: ['OPEN'] })
  expect(items.map(({ findingType }) => findingType).sort()).toEqual([
    'ACCESS_CODE',
    'DEFAULT_CREDENTIAL',
    'PASSWORD',
    'PASSWORD',
    'PASSWORD',
  ])
  for (const { id } of items)
    expect(await ask<FindingDetail>('get_finding', { id })).toMatchObject({
      reason: expect.stringMatching(/^It .*\.$/),
    })
  for (const value of values) {
    expect(replies.join('')).not.toContain(value)
    expect(stored()).not.toContain(value)
  }
})
