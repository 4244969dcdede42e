import { expect, it } from 'vitest'
import { endings, stopServers } from '../e2e/shutdown.ts'

it('a server that is stopped at 100 random moments shuts down in order each time', async () => {
  const { ends, damages, status } = await stopServers(100, 1)
  const second = ends.flatMap(({ afterSecondMs = [] }) => afterSecondMs)
  process.stdout.write(
    `${ends.length} ends: at most ${Math.max(...ends.map(({ ms }) => ms)).toFixed(0)} ms; ` +
      `${second.length} of them asked twice, at most ${Math.max(...second).toFixed(0)} ms after that\n`,
  )
  expect(damages).toEqual([])
  for (const { code, ms, afterSecondMs } of ends) {
    expect(endings(afterSecondMs !== undefined)).toContain(code)
    expect(ms).toBeLessThan(5_000)
    expect(afterSecondMs ?? 0).toBeLessThan(1_000)
  }
  expect(status).toBe('COMPLETED')
})
