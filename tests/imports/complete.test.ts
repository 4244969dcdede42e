import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FindingDetail } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import type { ImportRequest } from '../../src/imports/request.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { errorOf } from '../support/context.ts'
import { dumpTables, listFindings, streamOf } from './importing.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const DAY = 86_400_000
const dayOf = (day: number) => new Date(Date.UTC(2025, 5, day)).toISOString()

interface Run {
  tool?: string
  id?: string
  day?: number | undefined
  isFailed?: boolean
  results: readonly string[]
}

const toResult = (name: string) => ({
  ruleId: 'R1',
  message: { text: `Problem ${name}` },
  locations: [{ physicalLocation: { artifactLocation: { uri: `src/${name}.ts` } } }],
  fingerprints: { own: name },
})

const toLog = (...runs: Run[]) =>
  JSON.stringify({
    version: '2.1.0',
    runs: runs.map(({ tool = 'Scanner', id, day, isFailed = false, results }) => ({
      tool: { driver: { name: tool } },
      ...(id === undefined ? {} : { automationDetails: { id } }),
      invocations: [{ executionSuccessful: !isFailed, ...(day === undefined ? {} : { endTimeUtc: dayOf(day) }) }],
      results: results.map(toResult),
    })),
  })

const take = (text: string, more: Partial<ImportRequest> = {}) =>
  importFindings(streamOf(text), { source: 'scanner', ...more }, bench.context)
const complete = (text: string, more: Partial<ImportRequest> = {}) => take(text, { complete: true, ...more })

/** The statuses of all findings, by the names of their files. */
async function statuses(): Promise<Record<string, string>> {
  const found = await listFindings(bench)
  return Object.fromEntries(found.map(({ asset, status }) => [asset.name.slice(4, -3), status]).sort())
}
async function detailOf(name: string): Promise<FindingDetail> {
  const found = (await listFindings(bench)).find(({ asset }) => asset.name === `src/${name}.ts`)
  return bench.run('get_finding', { id: found?.id })
}
const decide = async (name: string, status: string) =>
  bench.run('update_finding', { id: (await detailOf(name)).id, status, reason: 'checked' })

const names = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `f${from + index}`)
const line = (name: string, more: object = {}) =>
  JSON.stringify({
    asset: { key: `src/${name}.ts`, name: `src/${name}.ts` },
    ...{ detectorType: 'YARA', findingType: 'RULE', severity: 'HIGH', fingerprint: name },
    firstDetectedAt: dayOf(1),
    ...more,
  })

it('what a complete file does not contain is resolved when its run ended', async () => {
  await take(toLog({ day: 1, results: ['a', 'b', 'c'] }))
  const { findings } = await complete(toLog({ day: 3, results: ['a', 'd'] }))
  expect(findings).toEqual({ new: 1, again: 1, resolved: 2 })
  expect(await statuses()).toEqual({ a: 'OPEN', b: 'RESOLVED', c: 'RESOLVED', d: 'OPEN' })
  const detail = await detailOf('b')
  expect(detail.resolvedAt).toBe(dayOf(3))
  expect(detail.history.at(-1)).toMatchObject({ to: 'RESOLVED', at: dayOf(3), by: 'import', reason: 'not_in_import' })
})

it('the same complete file again changes nothing', async () => {
  await take(toLog({ day: 1, results: ['a', 'b'] }))
  const log = toLog({ day: 3, results: ['a'] })
  await complete(log)
  const before = dumpTables(bench)
  bench.clock.now += DAY
  expect((await complete(log)).findings).toEqual({ new: 0, again: 1, resolved: 0 })
  expect(dumpTables(bench)).toEqual(before)
})

it('a finding that comes back is opened since its run, and not by an older file', async () => {
  const old = toLog({ day: 1, results: ['a', 'b'] })
  await complete(old)
  await complete(toLog({ day: 3, results: ['a'] }))
  await take(old)
  expect(await statuses()).toEqual({ a: 'OPEN', b: 'RESOLVED' })
  await complete(toLog({ day: 5, results: ['a', 'b'] }))
  const { status, history } = await detailOf('b')
  expect(status).toBe('OPEN')
  expect(history.map(({ to, at }) => [to, at])).toEqual([
    ['RESOLVED', dayOf(3)],
    ['OPEN', dayOf(5)],
  ])
})

it('a file of an earlier run does not resolve what was detected after it', async () => {
  await complete(toLog({ day: 5, results: ['a', 'b'] }))
  await complete(toLog({ day: 3, results: ['a'] }))
  expect(await statuses()).toEqual({ a: 'OPEN', b: 'OPEN' })
})

describe('a scope', () => {
  it('is the tool and the id of a run', async () => {
    await take(toLog({ day: 1, id: 'nightly', results: ['n'] }, { day: 1, id: 'weekly', results: ['w'] }))
    await take(toLog({ day: 1, results: ['plain'] }, { day: 1, tool: 'Other', results: ['other'] }))
    await complete(toLog({ day: 2, id: 'nightly', results: ['n2'] }))
    expect(await statuses()).toEqual({ n: 'RESOLVED', n2: 'OPEN', w: 'OPEN', plain: 'OPEN', other: 'OPEN' })
    await complete(toLog({ day: 2, results: ['p2'] }, { day: 2, id: 'weekly', results: [] }))
    expect(await statuses()).toMatchObject({ plain: 'RESOLVED', p2: 'OPEN', w: 'RESOLVED', other: 'OPEN', n2: 'OPEN' })
  })

  it('keeps what another scope has', async () => {
    for (const id of ['one', 'two']) await take(toLog({ day: 1, id, results: ['a', id] }))
    await complete(toLog({ day: 2, id: 'one', results: ['one'] }))
    expect(await statuses()).toEqual({ a: 'OPEN', one: 'OPEN', two: 'OPEN' })
    await complete(toLog({ day: 3, id: 'two', results: ['two'] }))
    expect(await statuses()).toEqual({ a: 'RESOLVED', one: 'OPEN', two: 'OPEN' })
  })

  it('has a name in NDJSON, without which a complete file is refused', async () => {
    expect(await errorOf(complete(line('a')))).toMatchObject({
      code: 'invalid_input',
      facts: { reason: 'scope_required' },
    })
    await take(line('other'), { scope: 'shop' })
    await complete([line('a'), line('b')].join('\n'), { scope: 'wiki' })
    await complete(line('a'), { scope: 'wiki' })
    expect(await statuses()).toEqual({ a: 'OPEN', b: 'RESOLVED', other: 'OPEN' })
    expect((await detailOf('b')).resolvedAt).toBe(new Date(bench.clock.now).toISOString())
  })

  it('is one of a source', async () => {
    await take(toLog({ day: 1, results: ['a'] }), { source: 'one' })
    await complete(toLog({ day: 2, results: ['b'] }), { source: 'two' })
    expect(await statuses()).toEqual({ a: 'OPEN', b: 'OPEN' })
  })
})

describe('a decision', () => {
  it('of a person stays, and a later file without the finding resolves it when it is taken back', async () => {
    await complete(toLog({ day: 1, results: ['a', 'b', 'c'] }))
    await decide('b', 'FALSE_POSITIVE')
    await complete(toLog({ day: 2, results: ['a', 'c'] }))
    expect(await statuses()).toMatchObject({ b: 'FALSE_POSITIVE' })
    await decide('b', 'OPEN')
    await complete(toLog({ day: 3, results: ['a', 'c'] }))
    expect(await statuses()).toMatchObject({ b: 'OPEN' })
    await complete(toLog({ results: ['a', 'c'] }))
    expect(await statuses()).toMatchObject({ b: 'RESOLVED' })
  })

  it('of the scanner ends with its finding', async () => {
    await complete([line('a'), line('b', { status: 'IGNORED' })].join('\n'), { scope: 'x' })
    await complete(line('a'), { scope: 'x' })
    expect(await statuses()).toEqual({ a: 'OPEN', b: 'RESOLVED' })
  })
})

describe('a complete file is refused', () => {
  const refused = async (text: string, reason: string, more: Partial<ImportRequest> = {}) => {
    const before = dumpTables(bench)
    expect(await errorOf(complete(text, more))).toMatchObject({ code: 'conflict', facts: { reason } })
    expect(dumpTables(bench)).toEqual(before)
    const staged = bench.store.read((reader) => reader.prepare('SELECT count(*) FROM import_file').pluck().get())
    expect(staged).toBe(0)
  }

  it('whose run failed, or has no results', async () => {
    await take(toLog({ day: 1, results: ['a', 'b'] }))
    await refused(toLog({ day: 2, isFailed: true, results: ['a'] }), 'incomplete_run')
    await refused(JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'S' } } }] }), 'incomplete_run')
    await take(toLog({ day: 2, isFailed: true, results: ['a'] }))
    expect(await statuses()).toEqual({ a: 'OPEN', b: 'OPEN' })
  })

  it('that is empty, unless that is accepted', async () => {
    await complete(toLog({ day: 1, results: ['a'] }))
    await refused(toLog({ day: 2, results: [] }), 'mass_vanishing')
    await refused('', 'mass_vanishing', { scope: 'x' })
    const { findings } = await complete(toLog({ day: 2, results: [] }), { acceptVanishing: true })
    expect(findings.resolved).toBe(1)
  })

  it.each([
    { stored: 40, gone: 12, isRefused: false },
    { stored: 39, gone: 12, isRefused: true },
    { stored: 12, gone: 9, isRefused: false },
    { stored: 12, gone: 10, isRefused: true },
  ])('that lacks $gone of $stored findings: $isRefused', async ({ stored, gone, isRefused }) => {
    await complete(toLog({ day: 1, results: names(stored) }))
    const log = toLog({ day: 2, results: [...names(stored - gone), 'new'] })
    if (isRefused) {
      await refused(log, 'mass_vanishing')
      expect(await bench.run('list_scans', { limit: 1 })).toMatchObject({
        items: [{ status: 'FAILED', reason: 'mass_vanishing' }],
      })
    }
    const { findings } = await complete(log, { acceptVanishing: isRefused })
    expect(findings).toEqual({ new: 1, again: stored - gone, resolved: gone })
  })
})

it('a dry run says what the import then does, and changes nothing', async () => {
  await complete(toLog({ day: 1, results: ['a', 'b', 'c', 'd'] }))
  const log = toLog({ day: 2, results: ['a', 'x', 'y'] })
  const before = dumpTables(bench)
  for (const source of ['other', 'scanner']) {
    const { preview, ...dry } = await complete(log, { dryRun: true, source })
    expect(dumpTables(bench)).toEqual(before)
    expect(preview?.map(({ asset, findingType }) => [asset, findingType])).toEqual([
      ['src/a.ts', 'R1'],
      ['src/x.ts', 'R1'],
      ['src/y.ts', 'R1'],
    ])
    if (source === 'other') expect(dry).toMatchObject({ source: { name: 'other' }, findings: { new: 3 } })
    else expect(await complete(log)).toMatchObject(dry)
  }
})
