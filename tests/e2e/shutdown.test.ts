import { expect, it } from 'vitest'
import { cases, maxMs } from '../support/long.ts'
import { endings, stopServers } from './shutdown.ts'

it(
  'a server that is stopped at any moment shuts down in order, and the next one continues its work',
  async () => {
    const { ends, damages, status } = await stopServers(cases(2, 100), 13)
    expect(damages).toEqual([])
    for (const { code, ms, afterSecondMs } of ends) {
      expect(endings(afterSecondMs !== undefined)).toContain(code)
      expect(ms).toBeLessThan(5_000)
      expect(afterSecondMs ?? 0).toBeLessThan(1_000)
    }
    expect(status).toBe('COMPLETED')
  },
  maxMs(120_000),
)
