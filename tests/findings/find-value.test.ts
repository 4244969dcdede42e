import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { expandScopes } from '../../src/operation/context.ts'
import { createLog } from '../../src/runtime/log.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { caller, localPerson } from '../support/context.ts'
import { contentOf, locateStore } from '../support/new-store.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { openWiki, type Wiki } from './value-wiki.ts'

interface Found {
  identifiers: { position: number; readAs: string; findings: number; note?: string }[]
  findings: number
  items: number
  truncated: boolean
  places: { asset: { key: string }; findings: { id: string }[] }[]
}

const withCheck = (digits: string) => {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
const toIban = (account: string) => `DE${String(98n - (BigInt(`${account}131400`) % 97n)).padStart(2, '0')}${account}`

/** The identifiers of a person, by their labels in texts; all differ from those of other persons. */
function personOf(index: number) {
  const number = String(1000 + index)
  return {
    mail: `anna.${'bcdfghjklm'.charAt(index % 10)}${number}@nordwind-${index % 7}.de`,
    phone: `+49 30 2312${number}`,
    card: withCheck(`45567375868${number}`),
    iban: toIban(`370400440532${number}00`),
    ssn: `536-22-${number}`,
  }
}
type Person = ReturnType<typeof personOf>

const inGroups = (text: string, size = 4) => text.match(new RegExp(`.{1,${size}}`, 'g'))?.join(' ') ?? text

/** Other usual spellings. */
const respelled: { [Label in keyof Person]: (value: string) => readonly string[] } = {
  mail: (value) => [value, value.toUpperCase(), `<b>${value.slice(0, 4)}</b>${value.slice(4)}`],
  phone: (value) => [
    value,
    value.replaceAll(' ', ''),
    value.replace('+49', '0049'),
    value.replace('+49 30', '+49 (0)30'),
  ],
  card: (value) => [value, inGroups(value), inGroups(value).replaceAll(' ', '-')],
  iban: (value) => [value, inGroups(value), value.toLowerCase()],
  ssn: (value) => [value, value.replaceAll('-', ' ')],
}
const labels = Object.keys(respelled) as (keyof Person)[]

/** 600 persons with five identifiers each, each on one to three pages in any spelling. */
function plantTenant(wiki: Wiki) {
  const random = new SeededRandom(53)
  const pagesOf = new Map<string, Set<string>>()
  const lines = new Map<string, string[]>()
  const persons = Array.from({ length: 600 }, (_, index) => personOf(index))
  for (const person of persons) {
    for (const label of labels) {
      const pages = new Set(
        random.some(
          Array.from({ length: 500 }, (_, page) => `page-${page}`),
          3,
        ),
      )
      pagesOf.set(person[label], pages)
      for (const page of pages) {
        const spelling = random.pick(respelled[label](person[label]))
        lines.set(page, [...(lines.get(page) ?? []), `<p>${label}: ${spelling}</p>`])
      }
    }
  }
  for (const [page, own] of lines) wiki.scan(page, own.join('\n'))
  return { persons, pagesOf }
}

/** An HTTP server over a wiki that logs all it can. */
function serve({ context }: Wiki, more: object = {}) {
  const logged: string[] = []
  const log = createLog({ level: 'debug', write: (line) => logged.push(line), now: () => 0 })
  const app = createHttpApp({
    ...{ operations, callerOf: () => localPerson, version: '1', hosts: [], log },
    contextFor: (about) => ({ ...context, log, ...about, ...more }),
  })
  const post = async (body: string, query = '') => {
    const headers = { host: 'localhost', 'content-type': 'application/json' }
    const response = await app.request(`http://localhost/findings/find-value${query}`, {
      method: 'POST',
      headers,
      body,
    })
    return { status: response.status, text: await response.text() }
  }
  return { logged, post }
}

describe('personal data of ten persons among 3,000 identifiers', () => {
  it('is found in all of its places and in no other, and nothing of what was typed is kept', async () => {
    const wiki = openWiki()
    const { persons, pagesOf } = plantTenant(wiki)
    const { logged, post } = serve(wiki)
    const random = new SeededRandom(54)
    const replies: string[] = []
    const typed: string[] = []
    for (const person of Array.from({ length: 10 }, (_, index) => persons[index * 57] as Person)) {
      const identifiers = labels.map((label) =>
        random.pick(respelled[label](person[label]).filter((each) => !each.includes('<'))),
      )
      typed.push(...identifiers)
      const { status, text } = await post(JSON.stringify({ identifiers }))
      expect(status).toBe(200)
      replies.push(text)
      const found = JSON.parse(text) as Found
      const expected = labels.flatMap((label) => [...(pagesOf.get(person[label]) ?? [])])
      expect(found.places.map(({ asset }) => asset.key).sort()).toEqual([...new Set(expected)].sort())
      expect(found.findings).toBe(expected.length)
      expect(found.identifiers.map(({ findings }) => findings)).toEqual(
        labels.map((label) => pagesOf.get(person[label])?.size),
      )
      expect(found.truncated).toBe(false)
    }
    const { items } = (await wiki.ask('list_audit', { kind: 'value', limit: 20 })) as { items: object[] }
    expect(items).toHaveLength(10)
    expect(items[0]).toMatchObject({ actor: 'local', action: 'find', after: { identifiers: 5 } })
    const kept = [contentOf(wiki.context.store), logged.join('\n'), replies.join('\n')].join('\n')
    for (const word of typed.flatMap((each) => [each, each.toLowerCase(), each.replaceAll(/[\s-]/g, '')])) {
      expect(kept.includes(word)).toBe(false)
    }
  })
})

describe('what was typed is in no error', () => {
  const typed = 'anna.secret@nordwind.de'
  it.each([
    ['a text instead of a list', JSON.stringify({ identifiers: { who: typed } })],
    ['another member', JSON.stringify({ identifiers: [typed], [typed]: typed })],
    ['a text that is too long', JSON.stringify({ identifiers: [typed.repeat(40)] })],
    ['a number', JSON.stringify({ identifiers: [typed, 4556737586899855] })],
    ['no JSON', `{"identifiers": ["${typed}`],
    ['nothing', JSON.stringify({ identifiers: [] })],
  ])('of %s', async (_, body) => {
    const wiki = openWiki()
    const { logged, post } = serve(wiki)
    const { status, text } = await post(body)
    expect(status).toBe(400)
    expect(`${text}${logged.join('')}${contentOf(wiki.context.store)}`).not.toMatch(/anna\.secret|4556737586899855/)
  })

  it.each([
    ['its name', `?${encodeURIComponent(typed)}=1`],
    ['its value', `?identifiers=${encodeURIComponent(typed)}`],
    ['a name with dots', `?exclude.${encodeURIComponent(typed)}=1`],
  ])('of a query string with it as %s', async (_, query) => {
    const wiki = openWiki()
    const { logged, post } = serve(wiki)
    const { status, text } = await post(JSON.stringify({ identifiers: [typed] }), query)
    expect(status).toBe(400)
    expect(`${text}${logged.join('')}${contentOf(wiki.context.store)}`.includes('anna.secret')).toBe(false)
  })

  it('of a proposal, because none is made of it', async () => {
    const wiki = openWiki()
    const proposer = { ...localPerson, token: true, scopes: expandScopes(['propose']) }
    const { logged, post } = serve(wiki, { caller: proposer })
    const called = await post(JSON.stringify({ identifiers: [typed] }))
    expect(called.status).toBe(403)
    const ask = caller(operations, { ...wiki.context, caller: proposer })
    const proposed = ask('propose_change', { operation: 'find_value', input: { identifiers: [typed] } })
    await expect(proposed).rejects.toMatchObject({ code: 'not_found', message: expect.not.stringContaining(typed) })
    expect(`${called.text}${logged.join('')}${contentOf(wiki.context.store)}`.includes(typed)).toBe(false)
  })

  it('on the command line, which takes none', async () => {
    const wiki = openWiki()
    const folder = locateStore(wiki.context.store)
    const argument = JSON.stringify({ identifiers: [typed] })
    const called = await runOnTerminal(['call', 'find_value', argument], { locate: () => ({ home: folder }) as never })
    expect(called).toMatchObject({ code: 2 })
    expect(`${called.stdout}${called.stderr}`).not.toContain(typed)
  })
})

describe('names', () => {
  it('are not detected unless a source is asked to, which the answer says', async () => {
    const wiki = openWiki()
    wiki.scan('p1', '<p>Full name: Mara Winkler</p>')
    const found = (await wiki.ask('find_value', { identifiers: ['Mara Winkler'] })) as Found
    expect(found).toMatchObject({
      findings: 0,
      identifiers: [{ readAs: 'name', note: expect.stringMatching(/^Names are not detected/) }],
    })
  })

  it('are found in any order where they are', async () => {
    const wiki = openWiki()
    wiki.context.store.write((writer) =>
      writer
        .prepare(`UPDATE source SET config = '{"detectors":[{"type":"PII","config":{"types":["PERSON_NAME"]}}]}'`)
        .run(),
    )
    wiki.scan('p1', '<p>Full name: Mara Winkler</p>', { types: ['PERSON_NAME'] })
    const found = (await wiki.ask('find_value', { identifiers: ['winkler, mara', 'Ben Winkler'] })) as Found
    expect(found.identifiers).toMatchObject([
      { findings: 1, note: expect.stringMatching(/only where the text marks them/) },
      { findings: 0 },
    ])
  })
})

it('lockdown shows where, without titles and value ids', async () => {
  const wiki = openWiki()
  wiki.scan('p1', '<p>phone: +49 30 23125042</p>')
  const found = (await caller(operations, { ...wiki.context, lockdown: true })('find_value', {
    identifiers: ['030 23125042'],
  })) as Found
  expect(found).toMatchObject({
    findings: 1,
    identifiers: [{ readAs: 'phone' }],
    places: [{ asset: { name: '(withheld)' } }],
  })
  expect(JSON.stringify(found)).not.toMatch(/v_[0-9a-f]{12}|Page p1/)
})

it('the command reads lines and names the items', async () => {
  const wiki = openWiki()
  wiki.scan('p1', '<p>phone: +49 30 23125042</p><p>mail: anna@nordwind-nord.de</p>')
  const { context } = wiki
  const { code, stdout, stderr } = await runOnTerminal(['find-person'], {
    stdin: Readable.from([Buffer.from('+49 30 23125042\n\nbob@nordwind-nord.de\n')]) as never,
    open: async () => ({ operations, caller: localPerson, contextFor: () => context, close: async () => {} }),
    locate: () => locateStore(context.store),
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/Page p1/)
  expect(stdout).toMatch(/1 finding in 1 item/)
  expect(stdout).not.toMatch(/23125042|bob@/)
})
