import { hash } from 'node:crypto'
import type { Part } from '../../documents/document.ts'
import { hasRun, toCodes } from '../text.ts'
import { keccak256 } from './keccak.ts'
import type { PiiMatch } from './match.ts'

const candidate =
  /(?=[13LMDbtl0])(?<![A-Za-z0-9])(?:[13LMD][1-9A-HJ-NP-Za-km-z]{25,34}|(?:bc|tb|ltc)1[02-9ac-hj-np-z]{11,87}|0x[0-9a-fA-F]{40})(?![A-Za-z0-9])/g
const codes = toCodes(/[A-Za-z0-9]/)
const MIN_LENGTH = 26
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const bech32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
/** Version bytes of Bitcoin, Litecoin and Dogecoin. */
const versions = new Set([0x00, 0x05, 0x30, 0x32, 0x1e, 0x16])
const generators = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const
const BECH32M = 0x2bc830a3

const sha256 = (data: Uint8Array) => hash('sha256', data, 'buffer')

/** 25 bytes: a version, a hash, and the first four bytes of its double SHA-256. */
function isBase58Check(text: string): boolean {
  let value = 0n
  for (const sign of text) value = value * 58n + BigInt(base58.indexOf(sign))
  const hex = value.toString(16).padStart(50, '0')
  if (hex.length !== 50) return false
  const bytes = Buffer.from(hex, 'hex')
  return (
    versions.has(bytes[0] ?? -1) &&
    sha256(sha256(bytes.subarray(0, 21)))
      .subarray(0, 4)
      .equals(bytes.subarray(21))
  )
}

/** BIP 173, and BIP 350 for later witness versions. */
function isBech32(text: string): boolean {
  const split = text.lastIndexOf('1')
  const prefix = [...text.slice(0, split)].map((sign) => sign.charCodeAt(0))
  const values = [...text.slice(split + 1)].map((sign) => bech32.indexOf(sign))
  let check = 1
  for (const value of [...prefix.map((code) => code >> 5), 0, ...prefix.map((code) => code & 31), ...values]) {
    const top = check >>> 25
    check = ((check & 0x1ffffff) << 5) ^ value
    for (const [bit, generator] of generators.entries()) if (((top >> bit) & 1) === 1) check ^= generator
  }
  return check >>> 0 === (values[0] === 0 ? 1 : BECH32M) && values.length >= 39
}

/** EIP-55: letter case encodes the checksum; addresses without mixed case have none. */
function isMixedCaseChecked(text: string): boolean {
  const body = text.slice(2)
  if (body === body.toLowerCase() || body === body.toUpperCase()) return false
  const digest = keccak256(Buffer.from(body.toLowerCase())).toString('hex')
  return [...body].every(
    (sign, at) => !/[a-z]/i.test(sign) || Number.parseInt(digest.charAt(at), 16) > 7 === /[A-Z]/.test(sign),
  )
}

/** Wallet addresses with a valid checksum. */
export function* findWallets({ text }: Part): Generator<PiiMatch> {
  if (!hasRun(text, codes, MIN_LENGTH)) return
  for (const { 0: found, index } of text.matchAll(candidate)) {
    const isValid = found.startsWith('0x')
      ? isMixedCaseChecked(found)
      : /^(?:bc|tb|ltc)1/.test(found)
        ? isBech32(found)
        : isBase58Check(found)
    if (!isValid) continue
    yield {
      type: 'CRYPTO_WALLET',
      start: index,
      end: index + found.length,
      confidence: 0.95,
      severity: 'MEDIUM',
      identity: found,
      shown: `${found.slice(0, 4)}•••`,
    }
  }
}
