import { AppError, invalidInput } from '../kernel/errors.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** Ample for a body of one mebibyte. */
const BODY_DEADLINE_MS = 30_000

const tooLarge = () =>
  new AppError(
    'too_large',
    `The body is larger than ${MAX_BODY_BYTES} bytes; send less, or stream findings to /findings/import.`,
  )

/** Reads a body up to the limit; nothing beyond it is buffered. */
async function readBody({ headers, body }: Request): Promise<Uint8Array> {
  if (Number(headers.get('content-length') ?? 0) > MAX_BODY_BYTES) throw tooLarge()
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let [length, isLate] = [0, false]
  const deadline = setTimeout(() => {
    isLate = true
    reader.cancel().catch(() => {})
  }, BODY_DEADLINE_MS)
  try {
    for (;;) {
      // The client closed the connection early, which is no server error.
      const { done, value } = await reader.read().catch(() => {
        throw brokenOff()
      })
      if (isLate) throw tooSlow()
      if (done) return Buffer.concat(chunks)
      length += value.byteLength
      if (length > MAX_BODY_BYTES) throw tooLarge()
      chunks.push(value)
    }
  } finally {
    clearTimeout(deadline)
    reader.cancel().catch(() => {})
  }
}

const brokenOff = () =>
  invalidInput('The connection ended before the whole body had arrived; send the request again.', {
    reason: 'body_broken_off',
  })

const tooSlow = () =>
  invalidInput('The body took longer than 30 seconds to arrive; send the request again.', { reason: 'too_slow' })

/** The JSON object in a body; an empty body gives `{}`. */
export async function readJsonObject(request: Request): Promise<Record<string, unknown>> {
  const bytes = await readBody(request)
  if (bytes.byteLength === 0) return {}
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type !== 'application/json' && !type.endsWith('+json')) {
    throw new AppError('unsupported_media_type', 'Send the body as JSON, with Content-Type: application/json.')
  }
  const value = parse(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidInput('The body must be a JSON object.', { issues: [{ path: '', message: 'must be an object.' }] })
  }
  return value as Record<string, unknown>
}

function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    // The parser's message quotes the body, which may contain a credential: only the position is repeated.
    const [, position] =
      (error instanceof SyntaxError && /in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(error.message)) ||
      []
    const at = position === undefined ? '' : ` at position ${position}`
    throw invalidInput(`The body is not valid JSON${at}; check its quotes and commas.`, {
      issues: [{ path: '', message: 'must be JSON in UTF-8.' }],
    })
  }
}
