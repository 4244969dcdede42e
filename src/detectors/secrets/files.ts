import type { Found, SearchProgress } from './found.ts'

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
