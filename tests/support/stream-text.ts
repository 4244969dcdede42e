import type { Readable } from 'node:stream'

/** All that a stream holds by now; since Node.js 26 one `read` returns one of the chunks. */
export function takeText(stream: Readable): string {
  let text = ''
  for (let chunk: unknown = stream.read(); chunk !== null; chunk = stream.read()) text += String(chunk)
  return text
}
