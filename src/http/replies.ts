import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'

/** Shorter replies fit into one packet. */
const MIN_COMPRESSED_BYTES = 1024
const compress = promisify(gzip)
const acceptsGzip = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q\s*=\s*(?:0?\.\d*[1-9]\d*|1(?:\.0*)?)\s*)?(?:,|$)/i

export interface TextReply {
  text: string
  status?: number
  headers: Record<string, string>
  /** Clients that keep it may ask with its ETag whether it is still the same. */
  isRevalidated?: boolean
}

/** A whole text as a response: compressed for clients that accept it, without its text for those that have it already. */
export async function toTextResponse(request: Headers, reply: TextReply): Promise<Response> {
  const { text, status = 200, isRevalidated = false } = reply
  const headers = new Headers(reply.headers)
  if (isRevalidated) {
    const tag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
    headers.set('etag', `W/${tag}`)
    headers.append('vary', 'authorization')
    const known = request.get('if-none-match') ?? ''
    if (known.trim() === '*' || known.includes(tag)) return new Response(null, { status: 304, headers })
  }
  const bytes = Buffer.from(text)
  if (bytes.length <= MIN_COMPRESSED_BYTES) return new Response(text, { status, headers })
  headers.append('vary', 'accept-encoding')
  if (!acceptsGzip.test(request.get('accept-encoding') ?? '')) return new Response(text, { status, headers })
  headers.set('content-encoding', 'gzip')
  const compressed = await compress(bytes, { level: constants.Z_BEST_SPEED })
  return new Response(new Uint8Array(compressed), { status, headers })
}
