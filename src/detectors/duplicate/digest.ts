import { BANDS } from './signature.ts'

/** Data of a text stored for comparison: keyed numbers from which its words cannot be recovered. */
export interface TextDigest {
  words: number
  /** Equal only for identical word sequences. */
  whole: string
  bands: Uint32Array
  /** In ascending order. */
  shingles: Uint32Array
}

const FORMAT = 1
const WHOLE_DIGITS = 12
const HEADER_BYTES = 1 + 4 + WHOLE_DIGITS / 2

/**
 * Layout: one format byte, word count, keyed hash of the whole text, bands, shingles; numbers are 32-bit little-endian.
 */
export function encodeDigest({ words, whole, bands, shingles }: TextDigest): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES + 4 * (bands.length + shingles.length))
  bytes.writeUInt8(FORMAT, 0)
  bytes.writeUInt32LE(words, 1)
  bytes.write(whole.padStart(WHOLE_DIGITS, '0'), 5, 'hex')
  let at = HEADER_BYTES
  for (const list of [bands, shingles]) for (const number of list) at = bytes.writeUInt32LE(number, at)
  return bytes
}

/** Undefined where another version stored it. */
export function decodeDigest(data: Uint8Array): TextDigest | undefined {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  const count = (bytes.length - HEADER_BYTES) / 4 - BANDS
  if (bytes[0] !== FORMAT || count < 0 || !Number.isInteger(count)) return undefined
  const numbers = (from: number, length: number) =>
    Uint32Array.from({ length }, (_, index) => bytes.readUInt32LE(HEADER_BYTES + 4 * (from + index)))
  return {
    words: bytes.readUInt32LE(1),
    whole: bytes.toString('hex', 5, HEADER_BYTES),
    bands: numbers(0, BANDS),
    shingles: numbers(BANDS, count),
  }
}
