import { isWordCode } from '../text.ts'
import type { Found, SearchProgress } from './found.ts'

const jwt = /eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{16,1500}/y

export function* findJwt(text: string, at: number, { now }: SearchProgress): Generator<Found> {
  if (isWordCode(text.charCodeAt(at - 1))) return
  jwt.lastIndex = at
  const token = jwt.exec(text)?.[0]
  if (token === undefined) return
  const [head = '', body = ''] = token.split('.')
  const header = toJson(head)
  if (header === undefined || !('alg' in header)) return
  const expires = toJson(body)?.exp
  const expired = typeof expires === 'number' && expires * 1_000 < now
  yield {
    type: 'JWT',
    start: at,
    end: at + token.length,
    severity: expired ? 'LOW' : 'HIGH',
    confidence: 0.91,
    shown: 'eyJ•••',
  }
}

function toJson(base64: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(base64, 'base64url').toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
