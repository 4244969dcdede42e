import { expect, it, vi } from 'vitest'
import { runVirtually, virtualNow } from '../virtual-clock.ts'
import { crawlAll, guid, payloadFor, refuse, startFakeBi } from './fake.ts'

vi.mock('node:timers/promises', async (original) => ({
  ...(await original<object>()),
  setTimeout: (await import('../virtual-clock.ts')).virtualSleep,
}))

it('a metadata scan that never ends is abandoned once, after ten minutes and a bounded number of polls', async () => {
  const workspaces = Array.from({ length: 8 }, (_, index) => ({ id: guid('a', index + 1), name: `W${index + 1}` }))
  const fake = await startFakeBi({
    'GET /groups': workspaces,
    'GET /groups/*/datasets': [{ id: guid('d', 1), name: 'Sales' }],
    'GET /groups/*/reports': [],
    'GET /groups/*/dashboards': [],
    'GET /groups/*/datasets/*/datasources': [],
    'GET /groups/*/datasets/*/parameters': [],
    'POST /admin/workspaces/getInfo': { id: 'scan-1', status: 'NotStarted' },
    'GET /admin/workspaces/scanStatus/scan-1': { status: 'Running' },
    'POST /groups/*/datasets/*/executeQueries': refuse(404),
  })
  const started = virtualNow()
  const { assets, failed } = await runVirtually(() => crawlAll(payloadFor(fake)))
  expect(failed).toEqual({})
  const [dataset] = assets.filter(({ kind }) => kind === 'bi.dataset')
  expect(dataset?.facts?.schemaTried).toMatchObject({ scanner: 'admin_api_unavailable' })
  expect(assets.filter(({ kind }) => kind === 'bi.workspace')).toHaveLength(8)
  const count = (part: string) => fake.paths().filter((path) => path.includes(part)).length
  expect([count('getInfo'), count('scanResult')]).toEqual([1, 0])
  expect(count('scanStatus')).toBeLessThanOrEqual(30)
  expect(virtualNow() - Math.max(started, 1_000_000)).toBeLessThanOrEqual(640_000)
})
