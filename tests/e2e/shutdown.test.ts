import { expect, it } from 'vitest'
import { endings, stopServers } from './shutdown.ts'

it('a server that is stopped at any moment shuts down in order, and the next one continues its work', async () => {
  const { ends, damages, status } = await stopServers(2, 13)
  expect(damages).toEqual([])
  for (const { code, ms, afterSecondMs } of ends) {
    expect(endings(afterSecondMs !== undefined)).toContain(code)
    expect(ms).toBeLessThan(5_000)
    expect(afterSecondMs ?? 0).toBeLessThan(1_000)
  }
  expect(status).toBe('COMPLETED')
}, 120_000)
