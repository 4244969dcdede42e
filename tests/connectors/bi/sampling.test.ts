import { describe, expect, it } from 'vitest'
import { biConnector } from '../../../src/connectors/bi/index.ts'
import type { Sampling } from '../../../src/connectors/connector.ts'
import { wikiConnector } from '../../../src/connectors/wiki/index.ts'
import { crawlAll, guid, payloadFor, type Routes, refuse, startFakeBi } from './fake.ts'

const [one, two] = [guid('a', 1), guid('a', 2)]
const reports = (from: number, count: number, extra: (index: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, index) => ({
    id: guid('e', from + index),
    name: `Report ${from + index}`,
    ...extra(index),
  }))

const tenant = (extra: Routes = {}): Routes => ({
  'GET /groups': [
    { id: one, name: 'One' },
    { id: two, name: 'Two' },
  ],
  [`GET /groups/${one}/datasets`]: [
    { id: guid('d', 1), name: 'New', createdDate: '2025-06-01T00:00:00Z', isRefreshable: true },
    { id: guid('d', 2), name: 'Old', createdDate: '2020-06-01T00:00:00Z', isRefreshable: true },
  ],
  [`GET /groups/${two}/datasets`]: [{ id: guid('d', 3), name: 'Middle', createdDate: '2023-06-01T00:00:00Z' }],
  [`GET /groups/${one}/reports`]: reports(1, 10, () => ({ datasetId: guid('d', 2) })),
  [`GET /groups/${two}/reports`]: reports(20, 10),
  'GET /groups/*/dashboards': [],
  'GET /groups/*/reports/*/pages': [],
  'GET /groups/*/datasets/*/refreshes': ({ url }: { url: string }) => [
    { status: 'Completed', endTime: url.includes(guid('d', 2)) ? '2026-01-01T00:00:00Z' : '2024-01-01T00:00:00Z' },
  ],
  'POST /admin/workspaces/getInfo': refuse(403),
  ...extra,
})

async function sample(sampling: Partial<Sampling>, extra: Routes = {}) {
  const fake = await startFakeBi(tenant(extra))
  const payload = payloadFor(fake, { extraction: { extract_dataset_schema: false } })
  const { assets, warnings } = await crawlAll(payload, {
    sampling: { strategy: 'LATEST', limit: 2, seed: 7, ...sampling },
  })
  const units = assets.filter(({ kind }) => kind !== 'bi.workspace')
  return { names: units.map(({ name }) => name).sort(), codes: warnings.map(({ code }) => code), fake, units }
}

describe('LATEST', () => {
  it('selects the newest items across all workspaces', async () => {
    expect((await sample({})).names).toEqual(['Middle', 'New'])
  })

  it.each([
    ['createdDate', ['Middle', 'New']],
    ['createdAt', ['Middle', 'New']],
    ['lastRefreshTime', ['New', 'Old']],
    ['name', ['Middle', 'New']],
    ['title', ['Middle', 'New']],
  ])('orders by %s', async (orderBy, expected) => expect((await sample({ orderBy })).names).toEqual(expected))

  it('includes the dataset of a selected report', async () => {
    const dated = reports(1, 3, (index) => ({
      datasetId: guid('d', 2),
      modifiedDateTime: `2026-0${index + 1}-01T00:00:00Z`,
    }))
    const { names } = await sample({ limit: 1 }, { [`GET /groups/${one}/reports`]: dated })
    expect(names).toEqual(['Old', 'Report 3'])
  })

  it('is random, with a warning, where no item has a date', async () => {
    const { names, codes } = await sample(
      { limit: 3 },
      { 'GET /groups/*/datasets': [], [`GET /groups/${one}/datasets`]: [], [`GET /groups/${two}/datasets`]: [] },
    )
    expect(names).toHaveLength(3)
    expect(codes).toContain('sampling_without_dates')
  })
})

describe('RANDOM', () => {
  it('selects the same items for the same seed, and others for another', async () => {
    const pick = async (seed: number) => (await sample({ strategy: 'RANDOM', limit: 6, seed })).names
    const [first, again, other] = [await pick(1), await pick(1), await pick(2)]
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it('requests details of selected items only', async () => {
    const { fake, units } = await sample({ strategy: 'RANDOM', limit: 4 })
    const asked = fake.paths().filter((path) => path.endsWith('/pages'))
    expect(asked).toHaveLength(units.filter(({ kind }) => kind === 'bi.report').length)
  })

  it('selects everything when the limit is larger', async () => {
    expect((await sample({ strategy: 'RANDOM', limit: 100 })).names).toHaveLength(23)
  })
})

it('ALL ignores the limit', async () => {
  expect((await sample({ strategy: 'ALL', limit: 1 })).names).toHaveLength(23)
})

it('a workspace that cannot be listed only removes its own items from the sample', async () => {
  const { names } = await sample({ limit: 30 }, { [`GET /groups/${two}/reports`]: refuse(403) })
  expect(names.filter((name) => name.startsWith('Report'))).toHaveLength(10)
})

it('accepts the same order columns as a wiki, and columns of the last refresh', () => {
  const own = biConnector.orderByColumns.filter((name) => !wikiConnector.orderByColumns.includes(name))
  expect(own.every((name) => /refresh/i.test(name))).toBe(true)
  expect(wikiConnector.orderByColumns.filter((name) => !biConnector.orderByColumns.includes(name))).toEqual([])
  for (const name of ['modifiedDateTime', 'modifiedDate', 'updatedAt', 'lastModified', 'createdDateTime', 'title']) {
    expect(biConnector.orderByColumns).toContain(name)
  }
})
