import type { ImportFormat } from '../imports.ts'

type Chunks = AsyncIterable<Uint8Array | string>

/** How many characters of a file its format is recognized by. */
const MAX_HEAD = 64 * 1024

/** Recognizes the format of a file by its beginning; the stream that is returned still has all of it. */
export async function recognizeFormat(stream: Chunks): Promise<{ format: ImportFormat; stream: Chunks }> {
  const iterator = stream[Symbol.asyncIterator]()
  const decoder = new TextDecoder()
  const read: (Uint8Array | string)[] = []
  let head = ''
  let isOver = false
  while (head.length < MAX_HEAD && !isOver) {
    const { done, value } = await iterator.next()
    if (done === true) isOver = true
    else {
      read.push(value)
      head += typeof value === 'string' ? value : decoder.decode(value, { stream: true })
    }
  }
  async function* all(): AsyncGenerator<Uint8Array | string> {
    yield* read
    if (!isOver) yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { format: isSarif(head.slice(0, MAX_HEAD)) ? 'sarif' : 'ndjson', stream: all() }
}

/** A SARIF log is one object with a schema or runs; a line of an import has neither before its detector. */
function isSarif(head: string): boolean {
  const [before = ''] = head.split('"detectorType"')
  const isNamed = /"\$schema"\s*:\s*"[^"]*sarif/i.test(before)
  return (
    /^\ufeff?\s*\{/.test(before) && (isNamed || (/"version"\s*:\s*"2\.\d/.test(before) && /"runs"\s*:/.test(before)))
  )
}
