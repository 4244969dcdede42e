import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { chooseForm, forms } from '../../src/http/forms.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { severityCodes, statusCodes } from '../../src/store/schema.ts'
import { localPerson, openContext, type TestContext } from '../support/context.ts'

const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']
const texts = ['plain', '=1+1', 'with, comma', 'say "x"', 'two\nlines', 'zero\u200bwidth', 'ünï 😀', '-3', '\ttab']
const DAY = 86_400_000
const START = Date.UTC(2026, 3, 1)

/** A generator of numbers that is the same for a seed (mulberry32). */
function createDice(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const at = (ms: number) => new Date(START + ms).toISOString()

/** Lines of an import with every member in every form. */
function makeLines(seed: number, size: number): string {
  const below = createDice(seed)
  const pick = <Item>(items: readonly Item[]) => items[below(items.length)]
  const maybe = <Item>(item: Item) => (below(2) === 0 ? undefined : item)
  return Array.from({ length: size }, (_, index) => {
    const first = below(20) * DAY + below(1000)
    const status = pick(statuses)
    const key = `key/${below(12)} ${pick(['ä', 'b', '%20', 'c#d'])}`
    return JSON.stringify({
      asset: {
        key,
        kind: pick(['repository.file', 'wiki.page']),
        name: maybe(pick(texts)),
        url: maybe(`https://example.com/${below(5)}?q=${below(9)}`),
        container: maybe(pick(texts)),
        owner: maybe(pick(['Ada', 'Öz', '@bob'])),
        labels: maybe(['one', 'two, three', '=x'].slice(below(3))),
        contentUpdatedAt: maybe(at(-below(90) * DAY)),
        ...(index % 3 === 0 ? { audience: ['people', 'anonymous'][index % 2], audienceSize: index } : {}),
      },
      detectorType: pick(['SECRETS', 'PII', 'YARA', 'CUSTOM']),
      findingType: pick(['EMAIL', 'token found', '+type']),
      severity: pick(severities),
      firstDetectedAt: at(first),
      category: maybe(pick(['SECURITY', ''])),
      confidence: maybe(below(10_001) / 10_000),
      status,
      presence: index % 4 === 0 ? 'history' : undefined,
      lastDetectedAt: maybe(at(first + below(5) * DAY)),
      ...(status === 'RESOLVED' ? { resolvedAt: at(first + below(9) * DAY) } : {}),
      customDetectorKey: maybe(`custom-${below(3)}`),
      excerpt: maybe(pick([...texts, 'password = "hunter2-Zq81xPlm"', 'mail ada@example.com'])),
      fingerprint: maybe(`print ${index}`),
    })
  }).join('\n')
}

async function* streamOf(text: string) {
  yield new TextEncoder().encode(text)
}

const load = (context: TestContext, text: string, format: 'ndjson' | 'sarif') =>
  importFindings(streamOf(text), { source: 'scanner', format }, context)

function open(lockdown = false) {
  const context = openContext()
  const app = createHttpApp({
    operations,
    contextFor: (about) => ({ ...context, ...about, lockdown }),
    callerOf: () => localPerson,
    version: '1',
    hosts: [],
    log: silentLog,
  })
  const get = (path: string, accept?: string) =>
    app.request(`http://127.0.0.1:7411${path}`, { headers: { host: '127.0.0.1:7411', ...(accept && { accept }) } })
  const post = (path: string, body: object, accept: string) =>
    app.request(`http://127.0.0.1:7411${path}`, {
      method: 'POST',
      headers: { host: '127.0.0.1:7411', accept, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const textOf = async (path: string, accept: string) => (await get(path, accept)).text()
  return { context, get, post, textOf }
}

/** Every row that an import may change, as text. */
const dump = ({ store }: TestContext) =>
  store.read((reader) =>
    ['finding', 'asset', 'status_change', 'word', 'combo', 'label_set_member'].map((table) =>
      JSON.stringify(reader.prepare(`SELECT * FROM ${table}`).all()),
    ),
  )

const NDJSON = 'application/x-ndjson'
const SARIF = 'application/sarif+json'

describe.each([1])('exports of random findings %i', (seed) => {
  it('change nothing when they are imported again, and are the same from another folder', async () => {
    const { context, textOf } = open()
    await load(context, makeLines(seed, 300), 'ndjson')
    // The same line with other values for an asset, so that the last ones are read from the database.
    const before = dump(context)
    const ndjson = await textOf('/findings', NDJSON)
    const sarif = await textOf('/findings', SARIF)
    context.clock.now += DAY
    expect(await load(context, ndjson, 'ndjson')).toMatchObject({ findings: { new: 0, resolved: 0 } })
    expect(dump(context)).toEqual(before)
    await load(context, sarif, 'sarif')
    expect(dump(context)).toEqual(before)

    for (const [text, format, accept] of [
      [ndjson, 'ndjson', NDJSON],
      [sarif, 'sarif', SARIF],
    ] as const) {
      const other = open()
      await load(other.context, text, format)
      const copied = await other.textOf('/findings', accept)
      // The end of a log is beside its last result, which need not be the same one.
      const lines = (file: string) =>
        file
          .split('\n')
          .map((line) => line.replace(/(?:\]\}\]\}|,)$/, ''))
          .sort()
      expect(lines(copied)).toEqual(lines(text))
    }
  })
})

describe('an export', () => {
  it('as CSV has the documented columns, the filter and order of the list, and no formulas', async () => {
    const { context, get, textOf } = open()
    await load(context, makeLines(7, 120), 'ndjson')
    const response = await get('/findings?severities=HIGH,LOW&sort=severity', 'text/csv')
    expect(response.headers.get('content-type')).toContain('text/csv')
    const [header, ...records] = (await response.text()).split('\r\n')
    expect(header).toBe(
      'id,source,assetKey,assetKind,assetName,assetUrl,container,owner,labels,detectorType,findingType,category,customDetectorKey,severity,confidence,status,presence,audience,audienceSize,value,firstDetectedAt,lastDetectedAt,resolvedAt,dueAt,location,excerpt,fingerprint',
    )
    const { items } = (await (await get('/findings?severities=HIGH,LOW&sort=severity&limit=500')).json()) as {
      items: { id: string }[]
    }
    expect(items.length).toBeGreaterThan(20)
    expect(records.flatMap((record) => /^(\d+),scanner,/.exec(record)?.[1] ?? [])).toEqual(items.map(({ id }) => id))
    const all = await textOf('/findings', 'text/csv')
    expect(all).not.toMatch(/(?:^|,|")[=+@](?=[^"])/m)
    expect(all).toContain("'=1+1")
  })

  it('has every selected finding once, the newest first, where few, many or all of thousands are selected', async () => {
    const { context, textOf } = open()
    const [size, middle] = [5_500, START + 10 * DAY]
    await load(context, makeLines(11, size), 'ndjson')
    // More of one instant than are looked at in one step; of the later ones most are sure, of the others few.
    context.store.write((writer) => {
      writer.prepare('UPDATE finding SET first_detected_at = ? WHERE id % 2 = 0').run(middle)
      writer
        .prepare('UPDATE finding SET conf_q = CASE WHEN first_detected_at > ? OR id % 40 = 0 THEN 9000 ELSE 10 END')
        .run(middle)
    })
    const listed = context.store.read((reader) =>
      reader
        .prepare(
          `SELECT f.id, f.first_detected_at AS first, f.conf_q AS confidence, c.severity, c.status
           FROM finding f JOIN combo c ON c.id = f.combo_id`,
        )
        .all(),
    ) as { id: number; first: number; confidence: number; severity: number; status: number }[]
    expect(listed).toHaveLength(size)
    listed.sort((a, b) => b.first - a.first || b.id - a.id)
    for (const [query, isSelected] of [
      ['', () => true],
      ['?severities=HIGH,LOW', ({ severity }) => severity === severityCodes.HIGH || severity === severityCodes.LOW],
      [
        '?severities=HIGH&statuses=IGNORED',
        ({ severity, status }) => severity === severityCodes.HIGH && status === statusCodes.IGNORED,
      ],
      ['?minConfidence=0.5', ({ confidence }) => confidence >= 5000],
      ['?minConfidence=0.95', () => false],
    ] as [string, (row: (typeof listed)[number]) => boolean][]) {
      const [, ...records] = (await textOf(`/findings${query}`, 'text/csv')).split('\r\n')
      const ids = records.flatMap((record) => /^(\d+),scanner,/.exec(record)?.[1] ?? [])
      expect({ query, ids }).toEqual({ query, ids: listed.filter(isSelected).map(({ id }) => String(id)) })
    }
  })

  it('as SARIF contains fingerprint, status and dates', async () => {
    const { context, textOf } = open()
    await load(context, makeLines(3, 60), 'ndjson')
    const log = JSON.parse(await textOf('/findings', SARIF))
    expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'Assay' } } }] })
    const [{ tool, results }] = log.runs
    const { rules } = tool.driver
    expect(new Set(rules.map(({ id }: { id: string }) => id)).size).toBe(rules.length)
    const ranks = ['note', 'warning', 'error']
    for (const { id, name, defaultConfiguration } of rules) {
      const given = results.filter(({ ruleId }: { ruleId: string }) => ruleId === id)
      expect(name).toBe(id)
      expect(defaultConfiguration.level).toBe(
        ranks.findLast((level) => given.some((result: { level: string }) => result.level === level)),
      )
    }
    for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex].id).toBe(ruleId)
    for (const { partialFingerprints, suppressions, baselineState, properties } of log.runs[0].results) {
      expect(partialFingerprints['assay/v1']).toMatch(/^[0-9a-f]{12}$/)
      const { status } = properties
      expect(suppressions !== undefined).toBe(status === 'IGNORED' || status === 'FALSE_POSITIVE')
      expect(baselineState).toBe(status === 'RESOLVED' ? 'absent' : 'unchanged')
      expect(properties.resolvedAt !== undefined).toBe(status === 'RESOLVED')
    }
    expect(JSON.parse(await textOf('/findings?search=nothing-has-this', SARIF)).runs[0].results).toEqual([])
  })

  it('is a whole list, without limit and cursor', async () => {
    const { get } = open()
    for (const name of ['limit', 'cursor']) {
      const response = await get(`/findings?${name}=5`, 'text/csv')
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { code: 'invalid_input', issues: [{ path: name }] },
      ])
    }
    expect((await get('/findings?severities=WRONG', NDJSON)).status).toBe(400)
    expect((await get('/findings?sources=unknown', NDJSON)).status).toBe(404)
  })

  it('masks texts from tenants in lockdown', async () => {
    const open_ = open(true)
    await load(open_.context, makeLines(5, 60), 'ndjson')
    for (const accept of ['text/csv', SARIF, NDJSON]) {
      const text = await open_.textOf('/findings', accept)
      expect(text).toContain('(withheld)')
      for (const hidden of ['with, comma', 'ünï', 'key/', 'two, three', 'example.com', 'Öz'])
        expect([accept, text.includes(hidden)]).toEqual([accept, false])
    }
  })

  it('reads one snapshot, and releases it when the client disconnects', async () => {
    const { context, get, textOf } = open()
    await load(context, makeLines(9, 1200), 'ndjson')
    for (let turn = 0; turn < 6; turn++) {
      const reader = (await get('/findings', NDJSON)).body?.getReader()
      await reader?.read()
      await reader?.cancel()
    }
    const reader = (await get('/findings', NDJSON)).body?.getReader()
    const decoder = new TextDecoder()
    let text = decoder.decode((await reader?.read())?.value)
    context.store.write((writer) => writer.prepare("UPDATE finding SET excerpt = 'changed'").run())
    for (;;) {
      const part = await reader?.read()
      if (part === undefined || part.done) break
      text += decoder.decode(part.value, { stream: true })
    }
    expect(text.trimEnd().split('\n')).toHaveLength(1200)
    expect(text).not.toContain('changed')
    expect(await textOf('/findings', NDJSON)).toContain('changed')
  })
})

describe('the Accept header', () => {
  const cases: [string | undefined, string][] = [
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'application/json'],
    ['application/json, text/csv', 'application/json'],
    ['text/csv, application/json', 'text/csv'],
    ['text/csv, */*', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/csv; q=0, */*', 'application/json'],
    ['text/*', 'text/csv'],
    ['TEXT/CSV', 'text/csv'],
    [SARIF, SARIF],
    ['application/x-ndjson;q=0.9, application/sarif+json;q=0.1', NDJSON],
  ]
  const files = operations.find(({ name }) => name === 'search_findings')?.files ?? {}
  it.each(cases)('%s is answered as %s', (accept, expected) => {
    expect(forms[chooseForm(accept ?? null, files)].mediaType).toBe(expected)
  })

  it('that no format matches is not_acceptable, on three routes only', async () => {
    const { get, post } = open()
    for (const accept of ['image/png', 'text/plain', 'text/csv;q=0', 'application/xml, image/*']) {
      const response = await get('/findings', accept)
      expect([accept, response.status, await response.json()]).toMatchObject([
        accept,
        406,
        { code: 'not_acceptable', issues: [{ path: 'Accept' }] },
      ])
    }
    const question = { metricSlug: 'total-findings' }
    expect((await post('/semantic/query', question, SARIF)).status).toBe(406)
    expect((await post('/semantic/query/timeseries', { ...question, granularity: 'day' }, NDJSON)).status).toBe(406)
    expect((await get('/assets', 'image/png')).status).toBe(200)
  })
})

describe('a query as CSV', () => {
  const csvOf = async (path: string, body: object) => {
    const { context, post } = open()
    await load(context, makeLines(4, 100), 'ndjson')
    const [csv, answer] = [await post(path, body, 'text/csv'), await post(path, body, 'application/json')]
    // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about
    return { status: csv.status, text: await csv.text(), json: (await answer.json()) as any }
  }

  it('has a column for each dimension, then the numbers, and a row for omitted groups', async () => {
    const body = {
      metricSlug: 'total-findings',
      dimensions: ['severity', 'status'],
      limit: 3,
      compare: 'previous_period',
    }
    const { text, json } = await csvOf('/semantic/query', { ...body, from: '2026-04-10', to: '2026-04-14' })
    const [header, ...records] = text.trimEnd().split('\r\n')
    expect(header).toBe('severity,status,value,previous,delta,pctChange')
    expect(records).toHaveLength(4)
    expect(records.slice(0, 3).map((record) => record.split(',').slice(0, 3))).toEqual(
      json.breakdown.map((entry: { dimensions: Record<string, string>; value: number }) => [
        entry.dimensions.severity,
        entry.dimensions.status,
        String(entry.value),
      ]),
    )
    expect(records[3]).toMatch(`(other),,${json.other.value},`)
  })

  it('has numerator and denominator of a ratio, and the count of an average', async () => {
    const ratio = await csvOf('/semantic/query', { metricSlug: 'false-positive-rate' })
    expect(ratio.text.split('\r\n')[0]).toBe('value,numerator,denominator')
    const average = await csvOf('/semantic/query', { metricSlug: 'average-confidence', dimensions: ['detectorType'] })
    expect(average.text.split('\r\n')[0]).toBe('detectorType,value,n')
  })

  it('has the buckets of a series', async () => {
    const range = { metricSlug: 'total-findings', granularity: 'day', from: '2026-04-01', to: '2026-04-03' }
    const { text, json } = await csvOf('/semantic/query/timeseries', range)
    expect(text.trimEnd().split('\r\n')).toEqual([
      'timestamp,value,complete',
      ...json.timeSeries.map((point: { timestamp: string; value: number; complete: boolean }) =>
        [point.timestamp, point.value, point.complete].join(','),
      ),
    ])
    const split = await csvOf('/semantic/query/timeseries', { ...range, dimension: 'severity' })
    expect(split.text.split('\r\n')[0]).toBe('timestamp,severity,value,complete')
  })

  it('refuses queries that have no columns', async () => {
    const question = { metricSlug: 'total-findings', alsoMetrics: ['open-findings'] }
    const { status, text } = await csvOf('/semantic/query', question)
    expect([status, JSON.parse(text)]).toMatchObject([400, { issues: [{ path: 'alsoMetrics' }] }])
  })
})
