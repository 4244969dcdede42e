import type { JWK } from 'jose'
import { z } from 'zod'

const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 8192

const kid = z.string().max(255).optional()
const base64url = z.string().regex(/^[\w-]+$/)
const usage = {
  kid,
  alg: z.string().optional(),
  use: z.literal('sig').optional(),
  key_ops: z.array(z.string()).optional(),
}

/**
 * The RSA exponent must be odd and at most 32 bits long: with 1 anyone can forge a signature, and a long one is slow to
 * check.
 */
const VerificationKey = z.discriminatedUnion('kty', [
  z.object({
    kty: z.literal('RSA'),
    n: base64url.refine((text) => isWithin(bitsOf(text), MIN_RSA_BITS, MAX_RSA_BITS)),
    e: base64url.refine((text) => isWithin(bitsOf(text), 2, 32) && ((bytesOf(text).at(-1) ?? 0) & 1) === 1),
    ...usage,
  }),
  z.object({ kty: z.literal('EC'), crv: z.enum(['P-256', 'P-384', 'P-521']), x: base64url, y: base64url, ...usage }),
  z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: base64url, ...usage }),
])

/** The published keys that may verify a signature, with only their public members; all others are left out. */
export function toVerificationKeys(keys: readonly unknown[]): JWK[] {
  return keys.flatMap((key) => {
    const { data } = VerificationKey.safeParse(key)
    // A key whose private half (`d`) is published lets anyone sign.
    return data === undefined || Object.hasOwn(key as object, 'd') ? [] : [data as JWK]
  })
}

const bytesOf = (text: string) => Buffer.from(text, 'base64url')

function bitsOf(text: string): number {
  const bytes = bytesOf(text)
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? 0 : (bytes.length - first) * 8 - Math.clz32(bytes[first] ?? 0) + 24
}

const isWithin = (bits: number, least: number, most: number) => bits >= least && bits <= most
