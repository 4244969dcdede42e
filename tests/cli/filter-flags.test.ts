import { Command } from 'commander'
import { expect, it } from 'vitest'
import { addFilterFlags, listFlags, rangeFlags, splitFilter } from '../../src/cli/filter-flags.ts'
import { FilterMapping } from '../../src/findings/filter.ts'
import { rangeKeys } from '../../src/findings/ranges.ts'

it('each filter key has a flag', () => {
  const others = ['minConfidence', 'overdue', 'ranges', 'exclude']
  expect([...Object.keys(listFlags), ...others].sort()).toEqual(Object.keys(FilterMapping.shape).sort())
  expect(Object.keys(rangeFlags).sort()).toEqual(rangeKeys.toSorted())
})

it('flags are combined into a filter', () => {
  const command = addFilterFlags(new Command('x').exitOverride())
  const given = [
    '--owners',
    'Ada,Bo',
    '--age-hours',
    '72..',
    '--resolved-at',
    '..2026-02-01',
    '--min-confidence',
    '0.5',
    '--sla',
    'MISSED',
    '--overdue',
  ]
  command.parse([...given, '--exclude', '{"labels":["old"]}'], { from: 'user' })
  const { filter, others } = splitFilter(command.opts())
  expect(others).toEqual({})
  expect(FilterMapping.parse(filter)).toEqual({
    owners: ['Ada', 'Bo'],
    minConfidence: 0.5,
    overdue: true,
    sla: ['MISSED'],
    exclude: { labels: ['old'] },
    ranges: { ageHours: { min: 72 }, resolvedAt: { to: '2026-02-01' } },
  })
})
