import { expect, it } from 'vitest'
import { stopServers } from './shutdown.ts'

it('a server that is asked to stop at any moment ends in order, and the next one goes on', async () => {
  const { ends, damages, status } = await stopServers(4, 2)
  expect(damages).toEqual([])
  for (const { code, ms, twice } of ends) {
    expect(twice ? [0, 1] : [0]).toContain(code)
    expect(ms).toBeLessThan(10_000)
  }
  expect(status).toBe('COMPLETED')
}, 120_000)
