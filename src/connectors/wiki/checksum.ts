import { hash } from 'node:crypto'

const canonical = (_key: string, value: unknown): unknown => {
  if (typeof value === 'string') return value.normalize('NFC')
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}

export function sha256(text: string): string {
  return hash('sha256', text)
}

/** Half of a checksum: a hash of any plain value, independent of the order of its members. */
export function toHalf(value: unknown): string {
  return sha256(JSON.stringify(value, canonical)).slice(0, 32)
}

/**
 * A checksum in two halves: the listing entry and the content. A listing without bodies shows whether the first half is
 * unchanged, and the platform's version numbers imply the same for the second.
 */
export function toChecksum(listed: string, content: string): string {
  return listed + content
}

export function hasSameListing(checksum: string | undefined, listed: string): checksum is string {
  return checksum?.startsWith(listed) === true
}
