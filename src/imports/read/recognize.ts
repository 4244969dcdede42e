import { visit } from 'jsonc-parser'
import { AppError } from '../../kernel/errors.ts'
import { type ImportFormat, toolFormats } from '../request.ts'
import { decodeTexts } from './decode.ts'
import { toolReaders } from './tools/formats.ts'

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
  return { format: recognize(await readHead(reading())), stream: all() }
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

/** The format that a file has, or is nearest to: its reader says what differs. */
function recognize(head: string): ImportFormat {
  const text = head.trimStart()
  if (text.startsWith('{') || text.startsWith('[')) {
    const names = listNames(text)
    if (isSarif(text, names)) return 'sarif'
    const scores = toolFormats.map((format) => names.filter((name) => toolReaders[format].marks.includes(name)).length)
    const best = Math.max(...scores)
    const isLine = names.includes('detectorType') || names.includes('asset')
    if (best > 0 && !isLine) return toolFormats[scores.indexOf(best)] ?? 'ndjson'
    return text.startsWith('[') ? 'gitleaks' : 'ndjson'
  }
  const [first = ''] = text.split('\n')
  return /[,;\t]/.test(first) ? 'csv' : 'ndjson'
}

/** The names of the members of a JSON text's first object, as far as it is there. */
function listNames(text: string): string[] {
  const names: string[] = []
  const depth = text.startsWith('[') ? 1 : 0
  let objects = 0
  visit(text, {
    onObjectBegin: (_offset, _length, _line, _character, toPath) => {
      if (toPath().length === depth) objects++
    },
    onObjectProperty: (name, _offset, _length, _line, _character, toPath) => {
      if (objects <= 1 && toPath().length === depth) names.push(name)
    },
  })
  return names
}

/** A SARIF log is one object with a schema or runs. */
const isSarif = (text: string, names: readonly string[]): boolean =>
  text.startsWith('{') &&
  ((names.includes('$schema') && /"\$schema"\s*:\s*"[^"]*sarif/i.test(text)) ||
    (names.includes('runs') && /"version"\s*:\s*"2\.\d/.test(text)))
