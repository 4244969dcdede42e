import { describe, expect, it } from 'vitest'
import { Schedule } from '../../src/sources/schedule.ts'
import { isLong, maxMs } from '../support/long.ts'
import { compareChanges, compareYears, patterns } from './schedule-runs.ts'

describe('runs of a schedule', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'America/Santiago',
    'Africa/Casablanca',
    'Antarctica/Troll',
    'Africa/Cairo',
    'America/Havana',
    'Pacific/Chatham',
  ]

  it.each(zones)(
    'start once when daylight saving time changes in %s: after a skipped hour, or in the first repeated hour',
    (zone) => {
      const { runs, differences, changes } = compareChanges(zone, patterns)
      expect(differences).toEqual([])
      // How many changes there are in a zone depends on the time zone data of Node.js.
      expect(changes).toBeGreaterThan(1)
      expect(runs / changes).toBeGreaterThan(87)
    },
    60_000,
  )

  it(
    'are as expected for two years',
    () => {
      const chosen = isLong ? Intl.supportedValuesOf('timeZone') : ['Asia/Kolkata']
      const daily = patterns.filter(({ hours, minutes }) => hours !== undefined && hours.length * minutes.length === 1)
      for (const zone of chosen) {
        const { runs, differences } = compareYears(zone, isLong ? patterns : daily)
        expect(differences).toEqual([])
        expect(runs).toBeGreaterThan(3_000)
      }
    },
    maxMs(180_000),
  )
})

describe('an invalid schedule', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown zone', { preset: 'daily', timezone: 'Mars/Base' }, 'timezone'],
    ['an empty zone', { preset: 'daily', timezone: '' }, 'timezone'],
    ['an offset', { preset: 'daily', timezone: '+02:00' }, 'timezone'],
    ['a zone with a blank', { preset: 'daily', timezone: 'Europe/ Berlin' }, 'timezone'],
    ['30 February', { cron: '0 0 30 2 *' }, 'cron'],
    ['31 April', { cron: '0 0 31 4 *' }, 'cron'],
    ['hour 24', { cron: '0 24 * * *' }, 'cron'],
    ['minute 60', { cron: '60 * * * *' }, 'cron'],
    ['month 13', { cron: '0 0 1 13 *' }, 'cron'],
    ['eight fields', { cron: '0 0 0 1 1 * 2026 x' }, 'cron'],
    ['seven fields', { cron: '0 0 6 * * * 2026' }, 'cron'],
    ['six fields, every second', { cron: '* * * * * *' }, 'cron'],
    ['six fields, every ten seconds', { cron: '*/10 * * * * *' }, 'cron'],
    ['four fields', { cron: '0 0 * *' }, 'cron'],
    ['no field', { cron: '' }, 'cron'],
    ['blanks', { cron: '   ' }, 'cron'],
    ['@reboot', { cron: '@reboot' }, 'cron'],
    ['@daily', { cron: '@daily' }, 'cron'],
    ['words', { cron: 'every day at six o clock' }, 'cron'],
    ['letters', { cron: 'a b c d e' }, 'cron'],
    ['a step of zero', { cron: '*/0 * * * *' }, 'cron'],
    ['a reversed range', { cron: '0 17-9 * * *' }, 'cron'],
    ['an unknown preset', { preset: 'often' }, 'preset'],
    ['neither preset nor cron', { enabled: true }, ''],
    ['an invalid cron expression and a valid preset', { preset: 'daily', cron: 'x' }, 'cron'],
  ])('is refused when it is written: %s', (_name, schedule, path) => {
    const { error } = Schedule.safeParse(schedule)
    expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
  })
})
