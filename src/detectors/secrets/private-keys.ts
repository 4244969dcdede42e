import type { Found } from './found.ts'

const MAX_PEM_LENGTH = 16_000

export function* findPrivateKey(text: string, at: number): Generator<Found> {
  const window = text.slice(at, at + MAX_PEM_LENGTH)
  const head = /^-----BEGIN ((?:[A-Z0-9]{2,10} ){0,3})PRIVATE KEY(?: BLOCK)?-----/.exec(window)
  if (head === null) return
  const dashes = text.indexOf('-----', at + head[0].length)
  if (dashes >= 0 && text.startsWith('-----BEGIN', dashes)) return
  const tail = window.indexOf('-----END', head[0].length)
  const body = window.slice(head[0].length, tail < 0 ? Math.min(window.length, 4_000) : tail)
  const encrypted = /ENCRYPTED|Proc-Type: 4/.test(head[0] + body.slice(0, 120))
  const signs = body
    .replace(/\\[nr]/g, '\n')
    .split('\n')
    .filter((line) => !line.includes(': '))
    .join('')
    .replace(/[\s"'`,+>#|*\\]/g, '')
  const isBase64 = /^[A-Za-z0-9+/=-]{56,}$/.test(signs)
  if (tail < 0 ? !/^[A-Za-z0-9+/=]{200,}/.test(signs) : !isBase64) return
  if (new Set(signs).size < 12 || /(.)\1{19,}/.test(signs.replace(/A{20,}/g, ''))) return
  const footer = tail < 0 ? null : /^-----END [A-Z0-9 ]{3,50}-----/.exec(window.slice(tail))
  const end = at + (tail < 0 ? head[0].length + body.trimEnd().length : tail + (footer?.[0].length ?? 8))
  yield {
    type: 'PRIVATE_KEY',
    start: at,
    end,
    severity: encrypted ? 'HIGH' : 'CRITICAL',
    confidence: 0.98,
    value: signs,
    shown: `${head[0]} •••`,
  }
}

const encodedPem = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{100,16000}={0,2}/y

/** A PEM key in base64, as in the values of Kubernetes secrets. */
export function* findEncodedPrivateKey(text: string, at: number): Generator<Found> {
  encodedPem.lastIndex = at
  const value = encodedPem.exec(text)?.[0]
  if (value === undefined || !/PRIVATE KEY/.test(Buffer.from(value.slice(0, 80), 'base64').toString('latin1'))) return
  const end = at + value.length
  yield {
    type: 'PRIVATE_KEY',
    start: at,
    end,
    severity: 'CRITICAL',
    confidence: 0.95,
    value,
    shown: 'LS0tLS1CRUdJTi•••',
  }
}
