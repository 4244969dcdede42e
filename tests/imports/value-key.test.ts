import { afterEach, beforeEach, expect, it } from 'vitest'
import { findingOperations } from '../../src/findings/operations.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { importLine } from '../support/import-line.ts'
import { importText, listFindings } from './importing.ts'

const KEY = 'sha256:51b2deadbeef'
const lineOf = (key: string, more = {}) => importLine(key, { firstDetectedAt: '2025-10-01T08:00:00Z', ...more })
let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 1 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const listValues = async () => new Map((await listFindings(bench)).map(({ asset, value }) => [`${asset.key}`, value]))

it('findings with one valueKey have one value in all imports, and the key is not stored', async () => {
  const lines = [lineOf('a', { valueKey: KEY }), lineOf('b', { valueKey: KEY }), lineOf('c')]
  await importText(bench, lines.join('\n'), 'One', 'ndjson')
  await importText(bench, lineOf('d', { valueKey: KEY }), 'Other', 'ndjson')
  await importText(bench, lineOf('e', { valueKey: `${KEY}0` }), 'Other', 'ndjson')
  const values = await listValues()
  const [value, ...others] = ['a', 'b', 'd'].map((key) => values.get(key))
  expect(value).toMatch(/^v_[0-9a-f]{12}$/)
  expect(others).toEqual([value, value])
  expect(values.get('c')).toBeUndefined()
  expect(values.get('e')).not.toBe(value)
  expect(JSON.stringify(bench.store.read((reader) => reader.prepare('SELECT * FROM finding').all()))).not.toContain(KEY)
})

it('a finding gets its value from a later file, and keeps it where one has none', async () => {
  const bring = (more: object) => importText(bench, lineOf('a', { fingerprint: 'f', ...more }), 'One', 'ndjson')
  const value = async () => (await listValues()).get('a')
  await bring({})
  expect(await value()).toBeUndefined()
  await bring({ valueKey: KEY })
  const given = await value()
  expect(given).toBeDefined()
  await bring({})
  expect(await value()).toBe(given)
})
