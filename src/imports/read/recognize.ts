import { AppError } from '../../kernel/errors.ts'
import type { ImportFormat } from '../request.ts'
import { decodeTexts } from './decode.ts'

type Chunks = AsyncIterable<Uint8Array | string>

/** How many characters of a file its format is recognized by. */
const MAX_HEAD = 64 * 1024

/** Recognizes the format of a file by its beginning; the stream that is returned still has all of it. */
export async function recognizeFormat(stream: Chunks): Promise<{ format: ImportFormat; stream: Chunks }> {
  const iterator = stream[Symbol.asyncIterator]()
  const read: (Uint8Array | string)[] = []
  let isOver = false
  async function* reading(): AsyncGenerator<Uint8Array | string> {
    for (;;) {
      const { done, value } = await iterator.next()
      isOver = done === true
      if (isOver) return
      read.push(value)
      yield value
    }
  }
  async function* all(): AsyncGenerator<Uint8Array | string> {
    yield* read
    if (!isOver) yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { format: isSarif(await readHead(reading())) ? 'sarif' : 'ndjson', stream: all() }
}

/** The beginning of a file; nothing of one that is no text. */
async function readHead(chunks: Chunks): Promise<string> {
  let head = ''
  try {
    for await (const text of decodeTexts(chunks)) {
      head += text
      if (head.length >= MAX_HEAD) break
    }
  } catch (error) {
    if (!(error instanceof AppError && error.facts.reason === 'bad_file')) throw error
  }
  return head.slice(0, MAX_HEAD)
}

/** A SARIF log is one object with a schema or runs; a line of an import has neither before its detector. */
function isSarif(head: string): boolean {
  const [before = ''] = head.split('"detectorType"')
  const isNamed = /"\$schema"\s*:\s*"[^"]*sarif/i.test(before)
  return /^\s*\{/.test(before) && (isNamed || (/"version"\s*:\s*"2\.\d/.test(before) && /"runs"\s*:/.test(before)))
}
