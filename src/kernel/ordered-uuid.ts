import { randomFillSync } from 'node:crypto'

/** Bytes in the random part of a UUID, and how many such parts are drawn at once. */
const RANDOM_BYTES = 8
const DRAWN_AT_ONCE = 1024

const pool = Buffer.alloc(RANDOM_BYTES * DRAWN_AT_ONCE)
let used = pool.length
let last = 0
let count = 0

/**
 * A UUID of version 7 (RFC 9562); `at` in milliseconds. UUIDs of one thread ascend in the order of their creation, so
 * that an index on them grows at its end.
 */
export function orderedUuid(at: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  // A 12-bit counter orders UUIDs within a millisecond; when it overflows, the next millisecond is used.
  if (at > last) {
    last = at
    count = 0
  } else if (++count > 0xfff) {
    last++
    count = 0
  }
  const time = last.toString(16).padStart(12, '0')
  const random = pool.toString('hex', used, used + RANDOM_BYTES)
  used += RANDOM_BYTES
  const variant = ((Number.parseInt(random.charAt(0), 16) & 0x3) | 0x8).toString(16)
  const counted = (0x7000 | count).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-${counted}-${variant}${random.slice(1, 4)}-${random.slice(4)}`
}
