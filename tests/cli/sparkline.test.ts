import { expect, it } from 'vitest'
import { toSparkline } from '../../src/cli/output/sparkline.ts'

it.each([
  [[0, 1, 2, 4], '▁▃▅█'],
  [[3, 3], '██'],
  [[0, 0], '▁▁'],
  [[1, null, 2], '▅ █'],
  [[], ''],
])('a sparkline of %j is %j', (values, line) => {
  expect(toSparkline(values)).toBe(line)
})
