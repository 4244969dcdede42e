import { expect, onTestFinished, test, vi } from 'vitest'
import { undo } from '../../src/console/triage.ts'

test('undo sends one request for each former status and end', async () => {
  const sent: unknown[] = []
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body))
    return Response.json({ matched: 1, changed: 1, items: [] })
  })
  const until = '2027-01-01T00:00:00.000Z'
  const items = [
    { id: 'a', from: 'IGNORED', until },
    { id: 'b', from: 'OPEN' },
    { id: 'c', from: 'IGNORED' },
    { id: 'd', from: 'IGNORED', until },
  ] as const
  expect(await undo({ matched: 4, changed: 4, items }, 'RESOLVED')).toBe(3)
  const rest = { expectedStatus: 'RESOLVED', reason: 'undo' }
  expect(sent).toEqual([
    { ids: ['a', 'd'], status: 'IGNORED', until, ...rest },
    { ids: ['b'], status: 'OPEN', ...rest },
    { ids: ['c'], status: 'IGNORED', ...rest },
  ])
})
