import { expect, it } from 'vitest'
import { toReadableLine } from '../../src/runtime/log-line.ts'

const time = '2026-01-31T09:05:07.123Z'
const clock = new Date(time).toTimeString().slice(0, 8)

it.each([
  [
    { time, level: 'info', message: 'the scan is complete', source: 'Company wiki', items: 3 },
    `${clock} info  the scan is complete source=Company wiki items=3`,
  ],
  [{ time, level: 'warn', message: 'a\nb', name: '\u001b[31m' }, `${clock} warn  a\\nb name='\\u001b[31m'`],
  [
    { time, level: 'error', message: 'it failed', error: { name: 'Error', message: 'no "x"' } },
    `${clock} error it failed error="no \\"x\\""`,
  ],
])('%j is one line for a person', (entry, line) => {
  expect(toReadableLine(`${JSON.stringify(entry)}\n`)).toBe(`${line}\n`)
})

it('a line that is not JSON stays as it is', () => {
  expect(toReadableLine('plain\n')).toBe('plain\n')
})
