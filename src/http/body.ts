import { AppError, invalidInput } from '../kernel/errors.ts'
import { joinBytes } from '../kernel/join-bytes.ts'

export const MAX_BODY_BYTES = 1024 * 1024

/**
 * Reads a body up to a limit; nothing beyond the limit is buffered.
 * @throws AppError `too_large`
 */
export async function readBody(request: Request, maxBytes = MAX_BODY_BYTES): Promise<Uint8Array> {
  const tooLarge = () =>
    new AppError(
      'too_large',
      `The body is larger than ${maxBytes} bytes; send less, or stream findings to /findings/import.`,
    )
  const declared = Number(request.headers.get('content-length') ?? 0)
  if (declared > maxBytes) throw tooLarge()
  // A length that is declared bounds the body, which the server can then read without a web stream.
  if (declared > 0) {
    const bytes = await readWhole(request)
    if (bytes.length > maxBytes) throw tooLarge()
    return bytes
  }
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of untilDeadline(request.body)) {
    length += chunk.byteLength
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return joinBytes(chunks, length)
}

/** The client closed the connection early, which is no server error. */
function failAborted(): never {
  throw invalidInput('The connection ended before the whole body had arrived; send the request again.', {
    reason: 'body_broken_off',
  })
}

const toTooSlow = () =>
  invalidInput('The body took longer than 30 seconds to arrive; send the request again.', { reason: 'too_slow' })

/** Ample for a body of one mebibyte. */
const BODY_DEADLINE_MS = 30_000

/** A promise that rejects when the body is too slow, until it is stopped. */
function startDeadline(): { late: Promise<never>; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(toTooSlow()), BODY_DEADLINE_MS)
  })
  late.catch(() => {})
  return { late, stop: () => clearTimeout(timer) }
}

async function readWhole(request: Request): Promise<Uint8Array> {
  const { late, stop } = startDeadline()
  try {
    return new Uint8Array(await Promise.race([request.arrayBuffer().catch(failAborted), late]))
  } finally {
    stop()
  }
}

async function* untilDeadline(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const { late, stop } = startDeadline()
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read().catch(failAborted), late])
      if (done) return
      yield value
    }
  } finally {
    stop()
    reader.cancel().catch(() => {})
  }
}

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
