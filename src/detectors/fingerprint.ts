import { createHmac } from 'node:crypto'

/**
 * A keyed hash of a canonical string: 12 hex digits that hold 47 bits, so that the number stays exact in SQLite and
 * JavaScript. Keyed, because a plain hash of a card or social security number is found by trying them all.
 */
export function createFingerprinter(key: Uint8Array): (canonical: string) => string {
  return (canonical) => {
    const digest = createHmac('sha256', key).update(canonical).digest()
    return (digest.readUIntBE(0, 6) % 2 ** 47).toString(16).padStart(12, '0')
  }
}
