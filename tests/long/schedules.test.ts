import { expect, it } from 'vitest'
import { compareChanges, compareYears, patterns } from '../sources/schedule-runs.ts'

const zones = Intl.supportedValuesOf('timeZone')
const sparse = patterns.filter(({ cron }) => !cron.startsWith('*/'))

it('every schedule runs at the expected times in every time zone for two years', () => {
  const differences: string[] = []
  let runs = 0
  for (const zone of zones) {
    for (const comparison of [compareYears(zone, sparse), compareChanges(zone, patterns)]) {
      differences.push(...comparison.differences)
      runs += comparison.runs
    }
  }
  expect(differences).toEqual([])
  expect(zones.length).toBeGreaterThan(400)
  expect(runs).toBeGreaterThan(600_000)
})
