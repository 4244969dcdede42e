import type { Range } from '../kernel/ranges.ts'

const MIN_ENCODED = 24
const MAX_ENCODED = 20_000
/** Limit on start offsets tried per run, because path segments of a URL before the encoded text match too. */
const MAX_STARTS = 16
/** Base64 in either alphabet, on one line or several. */
const encoded = /[A-Za-z0-9+/_-]{24,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}/g
/** Base64 of readable text or of a binary key starts with one of these letters. */
const start = /(?<![A-Za-z0-9+])[I-Za-f]/g
const readable = /^[\t\n\r -~]{12,}/

export interface EncodedRun extends Range {
  /** The decoded text; absent for a private key in binary form. */
  text?: string
}

/** Runs of base64 that contain readable text or a private key in binary form (PKCS #1, PKCS #8, SEC 1). */
export function* findEncoded(text: string): Generator<EncodedRun> {
  for (const { 0: run, index } of text.matchAll(encoded)) {
    let starts = 0
    for (const { index: offset } of run.matchAll(start)) {
      if (run.length - offset < MIN_ENCODED || ++starts > MAX_STARTS) break
      const range = { start: index + offset, end: index + run.length }
      const bytes = Buffer.from(run.slice(offset, offset + MAX_ENCODED).replaceAll(/\s/g, ''), 'base64')
      if (isPrivateKey(bytes)) yield range
      const decoded = readable.exec(bytes.toString('latin1'))
      if (decoded !== null) yield { ...range, text: decoded[0] }
    }
  }
}

/** Whether a DER sequence starts with the version of a private key, unlike public keys and certificates. */
function isPrivateKey(bytes: Buffer): boolean {
  if (bytes[0] !== 0x30 || bytes.length < 32) return false
  const lengthBytes = (bytes[1] ?? 0) > 0x80 ? (bytes[1] ?? 0) - 0x80 : 0
  const [tag, length, version, next] = bytes.subarray(2 + lengthBytes)
  return lengthBytes <= 3 && tag === 2 && length === 1 && (version ?? 2) <= 1 && [2, 4, 0x30].includes(next ?? 0)
}
