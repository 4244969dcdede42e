import { expect, it } from 'vitest'
import { readRetryAfterMs } from '../../src/connectors/http/retry-after.ts'

const now = Date.parse('2026-03-01T10:00:00.000Z')

it.each<[Record<string, string>, string, number | undefined]>([
  [{ 'retry-after': '2' }, '', 2000],
  [{ 'retry-after': ' 0.5 ' }, '', 500],
  [{ 'retry-after': '3392' }, '', 3_392_000],
  [{ 'retry-after': '8640000000000' }, '', 86_400_000],
  [{ 'retry-after': '9'.repeat(400) }, '', 86_400_000],
  [{ 'retry-after': 'Tue, 13 Sep 275760 00:00:00 GMT' }, '', 86_400_000],
  [{ 'retry-after': '0' }, '', undefined],
  [{ 'retry-after': '-1' }, '', undefined],
  [{ 'retry-after': 'abc' }, '', undefined],
  [{ 'retry-after': '' }, '', undefined],
  [{}, '', undefined],
  [{ 'retry-after': 'Sun, 01 Mar 2026 10:00:30 GMT' }, '', 30_000],
  [{ 'retry-after': 'Sun, 01 Mar 2026 09:00:00 GMT' }, '', undefined],
  [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT', date: 'Sun, 01 Mar 2026 12:00:00 GMT' }, '', 30_000],
  [{ 'retry-after': '2026-03-01T10:00:05Z' }, '', 5000],
  [{ 'beta-retry-after': '7' }, '', 7000],
  [{ 'x-ratelimit-reset': '2026-03-01T10:01:00Z' }, '', 60_000],
  [{ 'x-ratelimit-reset': '2026-03-01T11:00:00Z' }, '', 300_000],
  [{ 'x-ratelimit-reset': '17' }, '', undefined],
  [{ 'retry-after': '0', 'x-ratelimit-reset': '2026-03-01T10:00:10Z' }, '', 10_000],
  [{ 'retry-after': '2', 'x-ratelimit-reset': '2026-03-01T11:00:00Z' }, '', 2000],
  [{}, '{"message":"You have exceeded the limit. Retry in 3392 seconds."}', 3_392_000],
])('%j and body %j request a wait of %s ms', (headers, body, expected) => {
  expect(readRetryAfterMs(headers, body, now)).toBe(expected)
})
