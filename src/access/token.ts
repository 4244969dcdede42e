import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'

const PREFIX = 'assay'
const ID_BYTES = 8
const SECRET_BYTES = 32
const shape = /^assay_([0-9a-f]{16})_([0-9a-f]{64})([0-9a-f]{8})$/

/** A token as its holder sends it: `assay_<id>_<secret><checksum>`. */
export interface ParsedToken {
  id: string
  text: string
  digest: Uint8Array
}

export function makeToken(): ParsedToken {
  const id = randomBytes(ID_BYTES).toString('hex')
  const body = `${PREFIX}_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`
  const text = body + checksumOf(body)
  return { id, text, digest: digestOf(text) }
}

/** Parses a token; undefined when its form or checksum is wrong, without reading the database. */
export function readToken(text: string): ParsedToken | undefined {
  const [, id = '', secret = '', checksum] = shape.exec(text) ?? []
  if (checksum === undefined || checksumOf(`${PREFIX}_${id}_${secret}`) !== checksum) return undefined
  return { id, text, digest: digestOf(text) }
}

export const isSameDigest = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)

/** Detects typing errors, and lets scanners for leaked secrets recognise a token offline. */
const checksumOf = (body: string) => crc32(body).toString(16).padStart(8, '0')

const digestOf = (text: string) => hash('sha256', text, 'buffer')
