import { afterEach, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { toValue } from '../../src/detectors/value.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import type { Finding } from '../../src/findings/model.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { caller, errorOf } from '../support/context.ts'
import { cases } from '../support/long.ts'
import { openWiki, type Wiki } from './value-wiki.ts'

const toBase64 = (text: string) => Buffer.from(text).toString('base64')
const toPercents = (text: string) => [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('')
const withMarkup = (text: string) => `${text.slice(0, 3)}<b>${text.slice(3, 7)}</b><span>${text.slice(7)}</span>`

const codesOf = (answer: unknown) => (answer as { warnings: { code: string }[] }).warnings.map(({ code }) => code)
const listAll = async ({ ask }: Wiki, filters: object = {}) =>
  ((await ask('search_findings', { limit: 100, ...filters })) as { items: Finding[] }).items

/** A label, a value, and further ways to write it that detectors read. */
const disguised: Record<string, { label: string; forms: readonly string[] }> = {
  secret: {
    label: 'password',
    forms: [
      'Kx9#vT2!mQ7$zL',
      withMarkup('Kx9#vT2!mQ7$zL'),
      encodeURIComponent('Kx9#vT2!mQ7$zL'),
      toBase64('Kx9#vT2!mQ7$zL'),
      encodeURIComponent(toBase64('Kx9#vT2!mQ7$zL')),
      `Kx9#vT2!mQ7$zL</p><p>password: ${toBase64('Kx9#vT2!mQ7$zL')}`,
    ],
  },
  account: {
    label: 'iban',
    forms: [
      'DE89370400440532013000',
      'de89370400440532013000',
      'DE89 3704 0044 0532 0130 00',
      'DE89-3704-0044-0532-0130-00',
      'DE89&nbsp;3704&nbsp;0044&nbsp;0532&nbsp;0130&nbsp;00',
      withMarkup('DE89370400440532013000'),
    ],
  },
  phone: {
    label: 'phone',
    forms: [
      '+49 30 23125042',
      '+493023125042',
      '+49-30-23125042',
      '0049 30 23125042',
      '+49 (0)30 23125042',
      withMarkup('+49 30 23125042'),
    ],
  },
  card: {
    label: 'card',
    forms: ['4556737586899855', '4556 7375 8689 9855', '4556-7375-8689-9855', withMarkup('4556 7375 8689 9855')],
  },
  address: {
    label: 'mail',
    forms: [
      'mara.winkler@nordwind-logistik.de',
      'Mara.Winkler@Nordwind-Logistik.DE',
      withMarkup('mara.winkler@nordwind-logistik.de'),
    ],
  },
  id: { label: 'rodné číslo', forms: ['736028/5163', '7360285163', withMarkup('736028/5163')] },
}

describe('one value', () => {
  it.each(Object.keys(disguised))('%s in 40 places, however it is written', async (name) => {
    const wiki = openWiki()
    const { label, forms } = disguised[name] ?? { label: '', forms: [] }
    for (let page = 0; page < 40; page++) wiki.scan(`p${page}`, `<p>${label}: ${forms[page % forms.length]}</p>`)
    const found = (await listAll(wiki)).filter(({ value }) => value !== undefined)
    expect(new Set(found.map(({ asset }) => asset.key)).size).toBe(40)
    expect(new Set(found.map(({ value }) => value)).size).toBe(1)
  })

  it('whatever type it was found as', async () => {
    const wiki = openWiki()
    wiki.scan('a', '<p>password: Kx9#vT2!mQ7$zL</p>')
    wiki.scan('b', `<p>postgres://app:${encodeURIComponent('Kx9#vT2!mQ7$zL')}@db.nordwind.de/app</p>`)
    wiki.scan('c', `<p>Authorization: Basic ${toBase64('app:Kx9#vT2!mQ7$zL')}</p>`)
    const found = await listAll(wiki)
    expect(found.map(({ findingType }) => findingType).sort()).toEqual(['BASIC_AUTH', 'CONNECTION_STRING', 'PASSWORD'])
    expect(new Set(found.map(({ value }) => value)).size).toBe(1)
  })

  it('is never that of another secret', () => {
    const random = new SeededRandom(51)
    const fingerprint = createFingerprinter(new Uint8Array(32).fill(7))
    const alphabets = [
      'abcdefghijklmnopqrstuvwxyz0123456789',
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
      '0123456789abcdef',
      'abcXYZ019 !"#$&()*+,-./:;<=>?@[]^_{|}~',
    ]
    const signsOf = (alphabet: string, length: number) =>
      Array.from({ length }, () => alphabet.charAt(random.below(alphabet.length))).join('')
    const disguise = (secret: string) => random.pick([secret, encodeURIComponent(secret), toPercents(secret)])
    const idOf = (secret: string) => {
      const found = { detectorType: 'SECRETS', findingType: random.pick(['PASSWORD', 'JWT']), identity: secret }
      return fingerprint(toValue(found) ?? '')
    }
    for (let pair = 0; pair < cases(20_000, 1_000_000); pair++) {
      const alphabet = random.pick(alphabets)
      const one = signsOf(alphabet, 8 + random.below(40))
      const at = random.below(one.length)
      const other = random.pick([
        signsOf(alphabet, one.length),
        `${one}${signsOf(alphabet, 1)}`,
        one.slice(0, at) + one.slice(at + 1),
        one.slice(0, at) + signsOf(alphabet, 1) + one.slice(at + 1),
        one.toUpperCase(),
        [...one].reverse().join(''),
      ])
      if (one !== other && idOf(disguise(one)) === idOf(disguise(other))) expect.fail(`${one} and ${other}`)
    }
  })

  it('of personal data is that of no other number', () => {
    const random = new SeededRandom(52)
    for (let pair = 0; pair < cases(20_000, 1_000_000); pair++) {
      const number = () => Array.from({ length: 12 }, () => random.below(10)).join('')
      const [one, other] = [number(), number()]
      const ofPhone = (identity: string) => toValue({ detectorType: 'PII', findingType: 'PHONE', identity })
      if (one !== other) expect(ofPhone(one) === ofPhone(other)).toBe(false)
    }
    const ofAddress = (identity: string) => toValue({ detectorType: 'PII', findingType: 'IP_ADDRESS', identity })
    expect(ofAddress('1.11.1.1')).not.toBe(ofAddress('11.1.1.1'))
  })
})

describe.each(['SQL', 'the index'])('answers about values from %s', (how) => {
  const engines: (() => void)[] = []
  afterEach(() => {
    for (const detach of engines.splice(0)) detach()
  })

  function open() {
    const wiki = openWiki()
    const [rotated, copied] = ['hT5$kLm9!pQ2w', 'Zr8#bNc3!xV6y']
    wiki.scan('p1', `<p>password: ${copied}</p><p>iban: DE89370400440532013000</p>`)
    wiki.scan('p2', `<p>password: ${encodeURIComponent(copied)}</p>`)
    wiki.scan('p3', `<p>password: ${copied}</p><p>password: ${rotated}</p>`)
    if (how === 'the index') {
      const { store } = wiki.context
      store.read((reader) => attachEngine(reader, buildEngine(reader)))
      engines.push(() => store.read((reader) => attachEngine(reader, undefined)))
    }
    return { ...wiki, copied }
  }

  it('the number of different secrets, and the most copied one', async () => {
    const wiki = open()
    const all = await listAll(wiki)
    expect(await wiki.ask('query_metric', { metricSlug: 'distinct-secrets' })).toMatchObject({ value: 2 })
    const top = await wiki.ask('query_metric', {
      metricSlug: 'total-findings',
      dimensions: ['value'],
      filters: { detectorTypes: ['SECRETS'] },
    })
    const copied = all.find(({ asset, detectorType }) => asset.key === 'p1' && detectorType === 'SECRETS')?.value
    expect(top).toMatchObject({
      value: 4,
      totalGroups: 2,
      breakdown: [{ dimensionValue: copied, value: 3 }, { value: 1 }],
    })
    expect(await listAll(wiki, { values: [copied] })).toHaveLength(3)
    const restricted = await wiki.ask('query_metric', {
      metricSlug: 'total-findings',
      filters: { values: [copied] },
    })
    expect(restricted).toMatchObject({ value: 3 })
    expect(codesOf(restricted)).not.toContain('unknown_value')
    if (how === 'the index') expect(wiki.context.read(findEngine)?.asked.plans).toBeGreaterThan(0)
  })

  it('with a warning about what has no value id yet', async () => {
    const wiki = open()
    wiki.context.store.write((writer) =>
      FindingLedger.keep(writer, wiki.context.clock.now, (ledger) => {
        for (const finding of ledger.listOfAsset(2)) ledger.update(finding, { valueId: null })
      }),
    )
    const answer = await wiki.ask('query_metric', { metricSlug: 'distinct-secrets' })
    expect(answer).toMatchObject({ value: 2 })
    const { warnings } = answer as { warnings: { code: string; message: string }[] }
    expect(warnings.find(({ code }) => code === 'no_value_id')?.message).toMatch(/^1 finding of secrets/)
    wiki.scan('p2', `<p>password: ${wiki.copied}</p>`)
    expect(codesOf(await wiki.ask('query_metric', { metricSlug: 'distinct-secrets' }))).not.toContain('no_value_id')
  })

  it('and says so of a value that nothing has', async () => {
    const { ask } = open()
    const filters = { values: ['v_0000000000aa'] }
    const answer = await ask('query_metric', { metricSlug: 'total-findings', filters })
    expect(answer).toMatchObject({ value: 0 })
    expect(codesOf(answer)).toContain('unknown_value')
  })
})

describe('a decision by value', () => {
  const password = 'Zr8#bNc3!xV6y'
  const decision = { status: 'IGNORED', reason: 'rotated' } as const

  function open() {
    const wiki = openWiki()
    wiki.scan('p1', `<p>password: ${password}</p><p>password: hT5$kLm9!pQ2w</p>`)
    wiki.scan('p2', `<p>password: ${toBase64(password)}</p>`)
    return wiki
  }
  const ofPassword = async (wiki: Wiki) => {
    const [{ value } = { value: '' }] = (await listAll(wiki)).filter(({ asset }) => asset.key === 'p2')
    return { values: [value] }
  }
  const statuses = async (wiki: Wiki) =>
    Object.fromEntries((await listAll(wiki, { detectorTypes: ['SECRETS'] })).map(({ id, status }) => [id, status]))

  it('is about all of its places, and about no other value', async () => {
    const wiki = open()
    const input = { filters: await ofPassword(wiki), ...decision }
    const counted = (await wiki.ask('update_finding', input)) as { matched: number; fix: { arguments: object } }
    expect(counted).toMatchObject({ matched: 2, changed: 0 })
    expect(await wiki.ask('update_finding', counted.fix.arguments)).toMatchObject({ matched: 2, changed: 2 })
    expect(Object.values(await statuses(wiki)).sort()).toEqual(['IGNORED', 'IGNORED', 'OPEN'])
    wiki.scan('p3', `<p>password: ${password}</p>`)
    expect(Object.values(await statuses(wiki)).filter((status) => status === 'OPEN')).toHaveLength(2)
  })

  it('holds for places to come if it is asked to, until it is removed', async () => {
    const wiki = open()
    const input = { filters: { ...(await ofPassword(wiki)), statuses: ['OPEN'] }, ...decision, future: true }
    const decided = (await wiki.ask('triage_findings', input)) as { changed: number; suppression: string }
    expect(decided).toMatchObject({ matched: 2, changed: 2, suppression: expect.any(String) })
    expect(await wiki.ask('triage_findings', input)).toMatchObject({ changed: 0, suppression: decided.suppression })
    wiki.scan('p3', `<p>password: ${encodeURIComponent(password)}</p><p>password: 9aQ!w2Er$5tYx</p>`)
    const found = (await listAll(wiki)).filter(({ asset }) => asset.key === 'p3')
    expect(found.map(({ status }) => status).sort()).toEqual(['IGNORED', 'OPEN'])
    await wiki.ask('delete_suppression', { id: decided.suppression })
    expect((await listAll(wiki)).filter(({ status }) => status === 'IGNORED')).toHaveLength(2)
  })

  it.each([
    ['a status that does not last', { status: 'RESOLVED' }],
    ['a filter without values', { filters: { detectorTypes: ['SECRETS'] } }],
    ['words', { search: 'wiki' }],
  ])('on places to come is refused with %s, and changes nothing', async (_, wrong) => {
    const wiki = open()
    const input = { filters: await ofPassword(wiki), ...decision, future: true, ...wrong }
    const error = await errorOf(Promise.resolve(wiki.ask('triage_findings', input)))
    expect(error).toMatchObject({ code: 'invalid_input', facts: { issues: [{ path: 'future' }] } })
    expect(Object.values(await statuses(wiki))).toEqual(['OPEN', 'OPEN', 'OPEN'])
  })

  it('on places to come needs the consent of a person', async () => {
    const wiki = open()
    const { context } = wiki
    const asked = { ...context, caller: { ...context.caller, needsConsent: true } }
    const input = { filters: await ofPassword(wiki), ...decision, future: true }
    const error = await errorOf(Promise.resolve(caller(operations, asked)('triage_findings', input)))
    expect(error).toMatchObject({ code: 'forbidden', facts: { reason: 'consent_required' } })
    expect(Object.values(await statuses(wiki))).toEqual(['OPEN', 'OPEN', 'OPEN'])
  })
})

it('lockdown shows counts by value, and no value id', async () => {
  const wiki = openWiki()
  for (const key of ['p1', 'p2']) wiki.scan(key, '<p>password: Zr8#bNc3!xV6y</p>')
  const [{ value = '' } = {}] = await listAll(wiki)
  const filters = { values: [value] }
  await wiki.ask('triage_findings', { filters, status: 'IGNORED', reason: 'rotated', future: true })
  await wiki.ask('create_glossary_term', { slug: 'rotated', displayName: 'Rotated', filterMapping: filters })
  const ask = caller(operations, { ...wiki.context, lockdown: true })
  const question = { metricSlug: 'total-findings', dimensions: ['value'], filters }
  const answer = await ask('query_metric', question)
  expect(answer).toMatchObject({ value: 2, breakdown: [{ dimensionValue: '(withheld)', value: 2 }] })
  const others = [
    await ask('search_findings', {}),
    await ask('get_finding', { id: '1' }),
    await ask('list_suppressions', {}),
    await ask('get_glossary_term', { slug: 'rotated' }),
    await ask('list_audit', {}),
  ]
  expect(JSON.stringify([answer, others])).not.toMatch(/v_[0-9a-f]{12}/)
})
