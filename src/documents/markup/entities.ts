import { Tokenizer } from 'htmlparser2'

const reference = /&(?:#[xX][0-9a-fA-F]{1,8}|#[0-9]{1,8}|[a-zA-Z][a-zA-Z0-9]{1,40});?/g

interface Decoded {
  text: string
  /** Length of the reference in the source, in UTF-16 code units. */
  width: number
}

const known = new Map<string, Decoded | undefined>()
const MAX_KNOWN = 4_000

/** Decodes a candidate character reference by the rules of HTML text; undefined where it is not one. */
function findDecoded(candidate: string): Decoded | undefined {
  if (known.has(candidate)) return known.get(candidate)
  let text = ''
  let width = 0
  const ignore = () => {}
  const tokenizer = new Tokenizer(
    { xmlMode: false, decodeEntities: true },
    {
      ontextentity: (codePoint, end) => {
        text += String.fromCodePoint(codePoint)
        width = end
      },
      ontext: ignore,
      onattribdata: ignore,
      onattribentity: ignore,
      onattribend: ignore,
      onattribname: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onopentagend: ignore,
      onopentagname: ignore,
      onprocessinginstruction: ignore,
      onselfclosingtag: ignore,
    },
  )
  tokenizer.write(candidate)
  tokenizer.end()
  const decoded = width === 0 ? undefined : { text, width }
  if (known.size < MAX_KNOWN) known.set(candidate, decoded)
  return decoded
}

/**
 * Splits text into pieces at its character references: literal runs (`width` is their length), and decoded characters
 * with the length that the reference has in the source.
 */
export function decodeInto(raw: string, at: number, emit: (text: string, at: number, width: number) => void): void {
  if (!raw.includes('&')) {
    if (raw !== '') emit(raw, at, raw.length)
    return
  }
  let done = 0
  for (const match of raw.matchAll(reference)) {
    const decoded = findDecoded(match[0])
    if (decoded === undefined) continue
    if (match.index > done) emit(raw.slice(done, match.index), at + done, match.index - done)
    emit(decoded.text, at + match.index, decoded.width)
    done = match.index + decoded.width
  }
  if (done < raw.length) emit(raw.slice(done), at + done, raw.length - done)
}

export function decodeEntities(raw: string): string {
  if (!raw.includes('&')) return raw
  let text = ''
  decodeInto(raw, 0, (piece) => {
    text += piece
  })
  return text
}
