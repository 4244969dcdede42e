import type { AssayDocument } from '../document.ts'
import type { ParseOptions } from '../markup/html.ts'
import { createFlow } from './flow.ts'

export function parsePlainText(source: string, options: ParseOptions & { mime?: string } = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  flow.plain(source, 0)
  return flow.finish(options.mime ?? 'text/plain')
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** Parses JSON as text, with the escapes in its strings decoded so that detectors see the actual values. */
export function parseJson(source: string, options: ParseOptions = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  let done = 0
  for (const match of source.matchAll(/\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))/g)) {
    if (match.index > done) flow.plain(source.slice(done, match.index), done)
    const [whole, code, letter = ''] = match
    const text = code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16))
    flow.made(text, match.index, whole.length)
    done = match.index + whole.length
  }
  flow.plain(source.slice(done), done)
  return flow.finish('application/json')
}
