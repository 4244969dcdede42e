import { type AppError, invalidInput } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import { readRange, reversedRange, type TimeRange, type WrittenRange } from '../../kernel/time-range.ts'
import type { Zone } from '../../kernel/zone.ts'

const EXAMPLES = '2026-03-01, 2026-03 or 2026-03-01T09:00:00Z'

/**
 * Reads the ends of a range in a zone; `at` is the path of a range that is a member.
 * @throws AppError `invalid_input` for a text that is no time, or when `from` is after `to`.
 */
export function parseRange(written: WrittenRange, zone: Zone, at = ''): TimeRange {
  const read = readRange(written, zone)
  if (!('problem' in read)) return read
  const { bound, problem } = read
  const path = at === '' ? bound : `${at}.${bound}`
  if (problem === reversedRange) throw fromAfterTo(path)
  throw invalidInput(`${path} ${quote(written[bound] ?? '')} ${problem}; write ${EXAMPLES}.`, {
    reason: 'invalid_time',
    issues: [{ path, message: `${problem}; write ${EXAMPLES}.` }],
  })
}

export function fromAfterTo(path: string): AppError {
  return invalidInput('from is after to; exchange them, or leave one out.', {
    reason: 'invalid_range',
    issues: [{ path, message: reversedRange }],
  })
}
