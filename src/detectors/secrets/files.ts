import type { Found, SearchProgress } from './found.ts'
import { isPlaceholder } from './guards.ts'

/** Values of a Kubernetes Secret: base64 under `data`, plain under `stringData`. */
export function* findKubernetesSecret(text: string, at: number, progress: SearchProgress): Generator<Found> {
  if (!/^kind["']?:[ \t]{0,4}["']?secret["']?[ \t]{0,20}(?:\r?\n|$|,)/i.test(text.slice(at, at + 60))) return
  const before = text.lastIndexOf('\n---', at)
  const after = text.indexOf('\n---', at)
  const from = Math.max(before, at - 4_000, 0)
  const manifest = text.slice(from, Math.min(after < 0 ? text.length : after, at + 4_000))
  progress.readFrom = at + 1_000
  const block = /^([ \t]{0,8})data:[ \t]{0,20}\r?\n((?:\1[ \t]+[^\n]{1,4000}\r?\n?){1,60})/m.exec(manifest)
  if (block === null) return
  const lines = block[2] ?? ''
  const offset = from + block.index + block[0].length - lines.length
  for (const value of lines.matchAll(
    /(?:^|:[ \t]{1,8}|^[ \t]+)["']?([A-Za-z0-9+/]{12,4000}={0,2})["']?[ \t]{0,8}$/gm,
  )) {
    const encoded = value[1] ?? ''
    if (encoded.length % 4 !== 0) continue
    const start = offset + value.index + value[0].indexOf(encoded)
    yield {
      type: 'KUBERNETES_SECRET',
      start,
      end: start + encoded.length,
      severity: 'HIGH',
      confidence: 0.91,
      value: encoded,
    }
  }
}

const MAX_HOST_LENGTH = 120

export function* findPgPass(text: string, at: number): Generator<Found> {
  const reach = Math.max(0, at - MAX_HOST_LENGTH)
  const lineStart = reach + text.slice(reach, at).lastIndexOf('\n') + 1
  const line = /^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,63}:[\w.*-]{1,63}:([^\s:]{4,128})[ \t]{0,4}(?:\r?\n|$)/.exec(
    text.slice(lineStart, lineStart + 400),
  )
  const value = line?.[1]
  if (line === null || value === undefined || isPlaceholder(value)) return
  const start = lineStart + line[0].indexOf(value, line[0].lastIndexOf(':'))
  yield { type: 'KEYED_SECRET', start, end: start + value.length, severity: 'HIGH', confidence: 0.91, value }
}

export function* findFirefoxLogin(text: string, at: number): Generator<Found> {
  const found = /^encrypted(?:Username|Password)"\s{0,4}:\s{0,4}"(M[A-Za-z0-9+/]{40,400}={0,2})"/.exec(
    text.slice(at, at + 500),
  )
  const value = found?.[1]
  if (found === null || value === undefined) return
  const start = at + found[0].indexOf(value)
  yield { type: 'STORED_LOGIN', start, end: start + value.length, severity: 'HIGH', confidence: 0.91, value }
}
