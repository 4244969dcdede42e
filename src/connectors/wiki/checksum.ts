import { createHash } from 'node:crypto'

const canonical = (_key: string, value: unknown): unknown => {
  if (typeof value === 'string') return value.normalize('NFC')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Half a checksum: a hash of any plain value, whatever the order of its members. */
export function toHalf(value: unknown): string {
  return sha256(JSON.stringify(value, canonical)).slice(0, 32)
}

/**
 * A checksum in two halves: what a listing says, and the content. A listing without bodies is enough to see that the
 * first half, and so by the platform's versions the second, is as it was.
 */
export function toChecksum(listed: string, content: string): string {
  return listed + content
}

export function isListedAlike(checksum: string | undefined, listed: string): checksum is string {
  return checksum?.startsWith(listed) === true
}
