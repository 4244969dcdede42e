import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { AppError } from '../../kernel/errors.ts'

export const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
export const VERSION = 'v1'

export type Purpose = 'credential' | 'fingerprint'

export const wrapPlace = (installId: string, id: number, purpose: Purpose) =>
  `${installId}|data_key/${id}/${purpose}|${VERSION}`

const derive = (key: Buffer, installId: string, use: string) =>
  Buffer.from(hkdfSync('sha256', key, installId, `assay ${use} ${VERSION}`, KEY_BYTES))

export const wrappingKey = (key: Buffer, installId: string) => derive(key, installId, 'wrap')

/** Identifies a key without revealing anything about it. */
export function checkValue(key: Buffer, installId: string): string {
  return createHmac('sha256', derive(key, installId, 'check'))
    .update(installId)
    .digest('hex')
    .slice(0, 16)
}

/**
 * Returns `v1.<key id>.<iv>.<ciphertext>.<tag>` (AES-256-GCM); `place` is authenticated, so a text moved elsewhere does
 * not open.
 */
export function sealWith(key: Buffer, keyId: number, place: string, plain: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  const texts = [iv, sealed, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))
  return [VERSION, keyId, ...texts].join('.')
}

export function unsealWith(key: Buffer, place: string, sealed: string): Buffer {
  const [version, , iv = '', text = '', tag = '', ...rest] = sealed.split('.')
  const parts = [iv, text, tag]
  const [ivBytes, textBytes, tagBytes] = parts.map((part) => Buffer.from(part, 'base64url'))
  // Accepts only canonical base64url: decoding ignores the last bits of a part, so several texts would open as one
  // value.
  const isPlain = parts.every((part) => Buffer.from(part, 'base64url').toString('base64url') === part)
  const shaped = version === VERSION && rest.length === 0 && isPlain && ivBytes?.length === IV_BYTES
  if (!shaped || textBytes === undefined || tagBytes?.length !== TAG_BYTES) throw unreadable()
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, ivBytes, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(place)).setAuthTag(tagBytes)
    return Buffer.concat([decipher.update(textBytes), decipher.final()])
  } catch (error) {
    throw unreadable(error)
  }
}

export function unreadable(cause?: unknown): AppError {
  return new AppError('unavailable', 'A stored credential cannot be read; enter it again.', {
    reason: 'secret_unreadable',
    ...(cause === undefined ? {} : { cause }),
  })
}
