import { randomFillSync } from 'node:crypto'

/** Bytes of the random part of an identifier, and how many of these are drawn at once. */
const RANDOM_BYTES = 8
const DRAWN_AT_ONCE = 1024

const pool = Buffer.alloc(RANDOM_BYTES * DRAWN_AT_ONCE)
let used = pool.length
let last = 0
let count = 0

/**
 * A UUID of version 7 (RFC 9562): those that are made one after the other in a thread stand in that order, so that an
 * index of many grows at its end. `at` in milliseconds.
 */
export function orderedUuid(at: number): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  // 12 bits count on within a millisecond; when they are used up, the next millisecond is borrowed.
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
