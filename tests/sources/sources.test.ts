import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { listAuditRows } from '../../src/audit/audit.store.ts'
import { startLoop } from '../../src/background/loop.ts'
import type { AppError } from '../../src/kernel/errors.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { Source } from '../../src/sources/model.ts'
import { createTenant, fakeConfig } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { contentOf, sqliteOnly } from '../support/new-store.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }))
})
afterEach(() => bench.close())

const create = (more: Record<string, unknown> = {}, name = 'Wiki') =>
  bench.run<Source>('create_source', { name, config: fakeConfig(more) })
const update = (config: Record<string, unknown>) => bench.run<Source>('update_source', { id: 'Wiki', config })
const issuesOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: AppError) => reason,
  )
  return (error?.facts.issues ?? []).map(({ path }) => path)
}

describe('creating a source', () => {
  it('shows it with its secret masked', async () => {
    expect(await create({ optional: { depth: 2 } })).toMatchObject({
      name: 'Wiki',
      type: 'FAKE',
      config: {
        type: 'FAKE',
        required: { base_url: 'https://fake.example' },
        masked: { token: '********' },
        optional: { depth: 2 },
      },
      counts: { assets: 0, findings: 0, openFindings: 0 },
    })
  })

  it('warns of another source with the same address, when it is added, changed and tested', async () => {
    expect(await create()).not.toHaveProperty('warnings')
    const message = expect.stringMatching(/^The sources Twin, Wiki have the same address: .* counts twice\./)
    expect(await create({}, 'Twin')).toMatchObject({ warnings: [{ code: 'same_tenant', message }] })
    const { steps } = await bench.run<{ steps: object[] }>('test_source', { id: 'Twin' })
    expect(steps).toContainEqual({ name: 'same_tenant', status: 'skipped', detail: message })
    const elsewhere = { required: { base_url: 'https://other.example' }, masked: { token: 'another' } }
    expect(await update(elsewhere)).not.toHaveProperty('warnings')
    const { steps: others } = await bench.run<{ steps: object[] }>('test_source', { id: 'Twin' })
    expect(others).not.toContainEqual(expect.objectContaining({ name: 'same_tenant' }))
  })

  it('takes the payload alone, with the host of the tenant as its name', async () => {
    const source = await bench.run<Source>('create_source', fakeConfig())
    expect(source).toMatchObject({
      name: 'fake.example',
      type: 'FAKE',
      config: { masked: { token: '********' } },
      warnings: [{ code: 'coerced', message: expect.stringContaining("named 'fake.example'") }],
    })
    await expect(bench.run('create_source', fakeConfig())).rejects.toMatchObject({ facts: { reason: 'name_taken' } })
    expect(await issuesOf(bench.run('create_source', { ...fakeConfig(), required: {}, extra: 1 }))).toEqual([
      'config.required.base_url',
      'config.extra',
    ])
    expect(await issuesOf(bench.run('create_source', { ...fakeConfig(), name: 'Both' }))).toContain('config')
  })

  it.each([
    [{ limit: 1 }, true],
    [{ strategy: 'RANDOM' }, true],
    [{ strategy: 'LATEST' }, true],
    [{ strategy: 'ALL', limit: 1 }, false],
    [{ order_by_column: 'modifiedDate' }, false],
    [{}, false],
  ])('with the sampling %j scans a sample: %s', async (sampling, sampled) => {
    await create({ sampling })
    const { id } = await bench.run<{ id: string }>('start_scan', { id: 'Wiki' })
    expect(await bench.run('get_scan', { id })).toMatchObject({ sampled })
  })

  it('keeps the secret out of the bytes of the database', async () => {
    await create()
    bench.store.write((writer) => writer.prepare('SELECT 1').get())
    expect(contentOf(bench.store)).not.toContain('fake-token-0001')
  })

  it.each<[string, Record<string, unknown>, string[]]>([
    ['an unknown option', { optional: { wide: true } }, ['config.optional.wide']],
    ['a missing requirement', { required: {} }, ['config.required.base_url']],
    ['an empty secret', { masked: { token: ' ' } }, ['config.masked.token']],
    ['the placeholder as secret', { masked: { token: '********' } }, ['config.masked.token']],
    ['bullets as secret', { masked: { token: '••••••' } }, ['config.masked.token']],
    ['a detector named twice', { detectors: [{ type: 'WORDS' }, { type: 'WORDS' }] }, ['config.detectors[1].type']],
    ['a schedule without a time', { schedule: { enabled: true } }, ['config.schedule']],
    ['six fields', { schedule: { cron: '0 0 6 * * *' } }, ['config.schedule.cron']],
    ['a nickname', { schedule: { cron: '@daily' } }, ['config.schedule.cron']],
    ['a day that never comes', { schedule: { cron: '0 0 30 2 *' } }, ['config.schedule.cron']],
    ['an offset for a zone', { schedule: { preset: 'daily', timezone: '+02:00' } }, ['config.schedule.timezone']],
    ['no type', { type: undefined }, ['config.type']],
    [
      'several problems, all of them',
      { masked: {}, optional: { depth: 0 }, schedule: { cron: 'x' }, detectors: [{ type: 'NO' }] },
      ['config.masked.token', 'config.optional.depth', 'config.schedule.cron', 'config.detectors[0].type'],
    ],
    [
      'every member of each group',
      {
        other: 1,
        sampling: { strategy: 'FIRST', limit: 0, order_by_column: 'size' },
        schedule: { enabled: true, preset: 'often', timezone: 'Mars/Base', cron: '61 * * * *' },
        detectors: [{ type: 'NO' }, { enabled: 'maybe' }, { type: 'WORDS', config: { least: 0 } }],
      },
      [
        'config.other',
        'config.sampling.strategy',
        'config.sampling.limit',
        'config.sampling.order_by_column',
        'config.schedule.preset',
        'config.schedule.cron',
        'config.schedule.timezone',
        'config.detectors[1].type',
        'config.detectors[1].enabled',
        'config.detectors[0].type',
        'config.detectors[2].config.least',
      ],
    ],
    ['a group that is not an object', { sampling: 5, detectors: 'SECRETS' }, ['config.sampling', 'config.detectors']],
  ])('refuses %s, with the path in the error', async (_name, more, paths) => {
    expect(await issuesOf(create(more))).toEqual(paths)
  })

  it('lists all allowed keys', async () => {
    await expect(create({ other: 1 })).rejects.toThrow(
      /the known keys are type, required, masked, optional, sampling, schedule, detectors/,
    )
  })

  it('suggests the intended detector', async () => {
    await expect(create({ detectors: [{ type: 'WORD' }] })).rejects.toThrow(/Did you mean WORDS/)
  })

  it.each(['modified_date', 'modifiedDate', 'modified-date', 'TITLE'])('accepts %s as a column', async (column) => {
    const { config } = await create({ sampling: { strategy: 'LATEST', limit: 10, order_by_column: column } })
    expect(config.sampling).toMatchObject({ order_by_column: column })
  })

  it('refuses a name in use, ignoring case', async () => {
    await create()
    await expect(create({}, 'wIKI')).rejects.toMatchObject({ code: 'conflict', facts: { reason: 'name_taken' } })
  })
})

describe('finding a source', () => {
  it.each(['Wiki', 'wiki', 'WIKI'])('accepts the name %s', async (name) => {
    const { id } = await create()
    expect(await bench.run('get_source', { id: name })).toMatchObject({ id })
    expect(await bench.run('get_source', { id })).toMatchObject({ id })
  })

  it('suggests close names', async () => {
    await create()
    await expect(bench.run('get_source', { id: 'Wikki' })).rejects.toMatchObject({
      code: 'not_found',
      facts: { suggestions: [{ value: 'Wiki', kind: 'source' }] },
    })
  })

  it('lists all sources', async () => {
    await create()
    await create({}, 'Another')
    expect(await bench.run('list_sources')).toMatchObject({ total: 2, items: [{ name: 'Another' }, { name: 'Wiki' }] })
  })
})

describe('updating a source', () => {
  beforeEach(async () => {
    await create({ optional: { depth: 2, spaces: ['ENG', 'OPS'] }, schedule: { preset: 'daily', timezone: 'UTC' } })
  })
  const secretWorks = async () => {
    const scan = await bench.scan('Wiki')
    expect(scan.status).toBe('COMPLETED')
  }

  it('ignores inherited members', async () => {
    const config = JSON.parse('{"required": {"__proto__": {"base_url": "https://evil.example"}}}')
    await expect(update(config)).rejects.toMatchObject({ facts: { reason: 'prototype_named' } })
    const whole = JSON.parse('{"optional": {"__proto__": {"depth": 9}}}')
    await expect(create(whole, 'Other')).rejects.toMatchObject({ facts: { reason: 'prototype_named' } })
  })

  it('merges by member and keeps the rest', async () => {
    const { config } = await update({ optional: { depth: 3 } })
    expect(config).toMatchObject({ optional: { depth: 3, spaces: ['ENG', 'OPS'] }, schedule: { preset: 'daily' } })
  })

  it('replaces lists as a whole and removes null fields', async () => {
    const { config } = await update({ optional: { spaces: ['ENG'] }, schedule: null })
    expect(config.optional).toEqual({ depth: 2, spaces: ['ENG'] })
    expect(config).not.toHaveProperty('schedule')
  })

  it.each<[string, Record<string, unknown>]>([
    ['left out', { optional: { depth: 4 } }],
    ['sent as its placeholder', { masked: { token: '********' } }],
    ['left out of masked', { masked: {} }],
  ])('keeps a secret that is %s', async (_name, config) => {
    await update(config)
    await secretWorks()
  })

  it('accepts its own output', async () => {
    const { config } = await bench.run<Source>('get_source', { id: 'Wiki' })
    expect((await update(config)).config).toEqual(config)
    await secretWorks()
  })

  it('replaces a secret by a new one', async () => {
    await update({ masked: { token: 'wrong' } })
    expect((await bench.scan('Wiki')).reason).toBe('auth_failed')
  })

  it('requires the secret again when it would be sent to another host', async () => {
    await expect(update({ required: { base_url: 'https://other.example' } })).rejects.toMatchObject({
      code: 'invalid_input',
      facts: { reason: 'secret_required', issues: [{ path: 'config.masked.token' }] },
    })
    const { config } = await update({ required: { base_url: 'https://other.example' }, masked: { token: 'fresh' } })
    expect(config.required).toEqual({ base_url: 'https://other.example' })
  })

  it('keeps the secret when only the path changes', async () => {
    const { config } = await update({ required: { base_url: 'https://fake.example/wiki' } })
    expect(config.required).toEqual({ base_url: 'https://fake.example/wiki' })
  })

  it('checks the whole payload again', async () => {
    expect(await issuesOf(update({ optional: { depth: 0 }, masked: { token: '***' } }))).toEqual([
      'config.optional.depth',
      'config.masked.token',
    ])
  })

  it('changes nothing when it is refused', async () => {
    const before = await bench.run('get_source', { id: 'Wiki' })
    await issuesOf(update({ optional: { depth: 0 } }))
    expect(await bench.run('get_source', { id: 'Wiki' })).toEqual(before)
  })

  it('does not change the type', async () => {
    expect(await issuesOf(update({ type: 'WIKI' }))).toEqual(['config.type'])
  })

  it('changes the name, also to the same name in another letter case', async () => {
    expect(await bench.run('update_source', { id: 'Wiki', name: 'WIKI' })).toMatchObject({ name: 'WIKI' })
  })
})

describe('the schedule', () => {
  it.each<[string, Record<string, unknown>, string | undefined]>([
    ['nothing', {}, undefined],
    ['a preset', { schedule: { enabled: true, preset: 'daily' } }, '2026-01-06T06:00:00.000Z'],
    ['hourly', { schedule: { enabled: true, preset: 'hourly' } }, '2026-01-05T13:00:00.000Z'],
    ['weekday_business', { schedule: { enabled: true, preset: 'weekday_business' } }, '2026-01-05T13:00:00.000Z'],
    ['weekly', { schedule: { enabled: true, preset: 'weekly' } }, '2026-01-12T03:00:00.000Z'],
    ['nightly', { schedule: { enabled: true, preset: 'nightly' } }, '2026-01-06T02:00:00.000Z'],
    ['weekday_morning', { schedule: { enabled: true, preset: 'weekday_morning' } }, '2026-01-06T07:00:00.000Z'],
    [
      'cron over preset',
      { schedule: { enabled: true, preset: 'daily', cron: '30 5 * * *' } },
      '2026-01-06T05:30:00.000Z',
    ],
    ['a zone', { schedule: { enabled: true, preset: 'daily', timezone: 'Asia/Tokyo' } }, '2026-01-05T21:00:00.000Z'],
    ['a disabled schedule', { schedule: { enabled: false, preset: 'daily' } }, undefined],
  ])('shows the next run for %s', async (_name, more, nextRunAt) => {
    expect((await create(more)).nextRunAt).toBe(nextRunAt)
  })
})

describe('changing the schedule', () => {
  const nextRun = async (schedule: Record<string, unknown>) =>
    (await bench.run<Source>('update_source', { id: 'Wiki', config: { schedule } })).nextRunAt

  it('applies the latest setting: a preset replaces a cron expression', async () => {
    await create({ schedule: { enabled: true, cron: '30 5 * * *' } })
    expect(await nextRun({ preset: 'nightly' })).toBe('2026-01-06T02:00:00.000Z')
    expect(await nextRun({ cron: '15 4 * * *' })).toBe('2026-01-06T04:15:00.000Z')
    expect(await nextRun({ timezone: 'Asia/Tokyo' })).toBe('2026-01-05T19:15:00.000Z')
    expect(await nextRun({ enabled: false })).toBeUndefined()
  })
})

describe('deleting a source', () => {
  it('deletes its assets, findings and scans, and nothing of other sources', async () => {
    await create()
    await create({}, 'Other')
    await bench.scan('Wiki')
    await bench.scan('Other')
    const deleted = await bench.run<Source>('delete_source', { id: 'Wiki' })
    expect(deleted).toMatchObject({ name: 'Wiki', counts: { assets: 2, findings: 2 } })
    expect(await bench.run('list_sources')).toMatchObject({ total: 1 })
    expect(await bench.run('get_source', { id: 'Other' })).toMatchObject({ counts: { assets: 2, findings: 2 } })
    const left = bench.store.read((reader) =>
      ['asset', 'finding', 'scan', 'scan_scope', 'status_change'].map((table) =>
        reader.prepare(`SELECT count(*) AS n FROM ${table}`).get(),
      ),
    )
    expect(left).toEqual([{ n: 2 }, { n: 2 }, { n: 1 }, { n: 1 }, { n: 0 }])
  })

  it('leaves no trace of its name in the file', async (test) => {
    sqliteOnly('it reads the file', test)
    await create()
    await bench.scan('Wiki')
    const [asset] = bench.store.read((reader) => reader.prepare('SELECT key, url FROM asset').all()) as {
      key: string
      url: string
    }[]
    const holds = () => {
      const database = new Database(join(bench.home, 'assay.db'))
      database.pragma('wal_checkpoint(TRUNCATE)')
      database.close()
      return readFileSync(join(bench.home, 'assay.db')).includes(asset?.url ?? '')
    }
    expect(holds()).toBe(true)
    await bench.run('delete_source', { id: 'Wiki' })
    expect(holds()).toBe(false)
  })

  it('that is interrupted is final for all processes, frees the name, and is completed by the loop', async () => {
    bench.close()
    bench = openWorkbench(createTenant({ ENG: 250 }))
    await create({ sampling: { strategy: 'ALL' } })
    await bench.scan('Wiki')
    vi.spyOn(bench.store, 'yieldBetweenBatches').mockRejectedValueOnce(new Error('killed'))
    await expect(bench.run('delete_source', { id: 'Wiki' })).rejects.toThrow('killed')
    const countAssets = () => bench.store.read((reader) => reader.prepare('SELECT count(*) FROM asset').pluck().get())
    expect(countAssets()).toBe(50)
    expect(await bench.run('list_sources')).toMatchObject({ total: 0 })
    await expect(bench.run('get_source', { id: 'Wiki' })).rejects.toMatchObject({ code: 'not_found' })
    await create()
    const loop = startLoop({
      store: bench.store,
      scans: bench.queue,
      log: silentLog,
      now: () => bench.clock.now,
      signal: new AbortController().signal,
      tickMs: 20,
    })
    await expect.poll(countAssets, { timeout: 20_000 }).toBe(0)
    await loop.stop()
    expect(await bench.run('list_sources')).toMatchObject({ total: 1, items: [{ counts: { assets: 0 } }] })
  })
})

it('changes of a source are in the audit trail without its secrets', async () => {
  await create()
  await update({ optional: { depth: 3 } })
  await update({ masked: { token: 'fake-token-0002' } })
  await bench.run('delete_source', { id: 'Wiki' })
  const rows = bench.store.read((reader) => listAuditRows(reader, { kind: 'source', limit: 10 })).reverse()
  expect(rows.map(({ action, name }) => [action, name])).toEqual([
    ['create', 'Wiki'],
    ['update', 'Wiki'],
    ['update', 'Wiki'],
    ['delete', 'Wiki'],
  ])
  const [created, deeper, renewed] = rows.map(({ after }) => JSON.parse(after ?? '{}') as Record<string, unknown>)
  expect(created).toMatchObject({ newSecrets: ['token'], config: { masked: { token: '********' } } })
  expect(deeper).toMatchObject({ newSecrets: [], config: { optional: { depth: 3 } } })
  expect(renewed).toMatchObject({ newSecrets: ['token'] })
  expect(JSON.stringify(rows)).not.toMatch(/fake-token|v1\./)
})

describe('testing a source', () => {
  it('returns its steps and writes nothing', async () => {
    await create()
    const version = () => bench.store.read((reader) => reader.dataVersion)
    const before = version()
    expect(await bench.run('test_source', { id: 'Wiki' })).toEqual({ steps: [{ name: 'sign in', status: 'ok' }] })
    expect(version()).toEqual(before)
  })
})
