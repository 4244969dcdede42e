import { expect, it } from 'vitest'
import { stopServers } from '../e2e/shutdown.ts'

it('a server that is asked to stop at 100 random moments ends in order each time', async () => {
  const { ends, damages, status } = await stopServers(100, 1)
  process.stdout.write(`the slowest end took ${Math.max(...ends.map(({ ms }) => ms)).toFixed(0)} ms\n`)
  expect(damages).toEqual([])
  for (const { code, ms, twice } of ends) {
    expect(twice ? [0, 1] : [0]).toContain(code)
    expect(ms).toBeLessThan(10_000)
  }
  expect(status).toBe('COMPLETED')
})
