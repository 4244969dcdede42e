import { invalidInput } from '../../kernel/errors.ts'

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be'

/** The longer marks come first: that of UTF-32 begins like that of UTF-16. */
const marks: readonly (readonly [Encoding, readonly number[]])[] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]
const LONGEST_MARK = 4

/**
 * The text of a file, without its byte order mark, by which its encoding is recognized; a file without one is UTF-8.
 * @throws AppError `invalid_input`, reason `bad_file`
 */
export async function* decodeTexts(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  let head = new Uint8Array(0)
  let decode: Decode | undefined
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    if (decode !== undefined) {
      yield decode(bytes)
      continue
    }
    head = Buffer.concat([head, bytes])
    if (head.length < LONGEST_MARK) continue
    decode = createDecode(head)
    yield decode(head)
  }
  decode ??= createDecode(head)
  yield decode(head.length < LONGEST_MARK ? head : undefined) + decode()
}

/** Decodes the next bytes; without bytes, the end. */
type Decode = (bytes?: Uint8Array) => string

function createDecode(head: Uint8Array): Decode {
  const [encoding] = marks.find(([, mark]) => mark.every((byte, at) => head[at] === byte)) ?? ['utf-8' as const]
  const isWide = encoding === 'utf-32le' || encoding === 'utf-32be'
  const decoder = isWide ? undefined : new TextDecoder(encoding, { fatal: true })
  const take =
    decoder === undefined
      ? createWideDecode(encoding === 'utf-32le')
      : (bytes?: Uint8Array) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }))
  return (bytes) => {
    try {
      return take(bytes)
    } catch {
      throw invalidInput(`Nothing was imported: the file is not ${encoding.toUpperCase()} text; convert it to UTF-8.`, {
        reason: 'bad_file',
      })
    }
  }
}

/** Bytes of a code point in UTF-32. */
const WIDE = 4
const BYTE_ORDER_MARK = 0xfeff
const CODES_AT_ONCE = 4096

/** @throws RangeError for what is no code point */
function createWideDecode(isLittle: boolean): Decode {
  let rest = Buffer.alloc(0)
  let isFirst = true
  return (bytes) => {
    if (bytes === undefined) {
      if (rest.length > 0) throw new RangeError('the text ends within a character')
      return ''
    }
    const whole = Buffer.concat([rest, bytes])
    const end = whole.length - (whole.length % WIDE)
    rest = whole.subarray(end)
    let text = ''
    let codes: number[] = []
    for (let at = 0; at < end; at += WIDE) {
      const code = isLittle ? whole.readUInt32LE(at) : whole.readUInt32BE(at)
      if (code >= 0xd800 && code <= 0xdfff) throw new RangeError('half of a surrogate pair is no character')
      if (!isFirst || code !== BYTE_ORDER_MARK) codes.push(code)
      isFirst = false
      if (codes.length < CODES_AT_ONCE && at + WIDE < end) continue
      text += String.fromCodePoint(...codes)
      codes = []
    }
    return text
  }
}
