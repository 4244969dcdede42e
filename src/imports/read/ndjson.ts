import { isAscii, isUtf8 } from 'node:buffer'
import { type AppError, invalidInput } from '../../kernel/errors.ts'
import { joinBytes } from '../../kernel/join-bytes.ts'
import { parseOutsideJson } from '../../kernel/well-formed.ts'
import { badLine, parseImportLine } from './import-line.ts'

const MAX_LINE_LENGTH = 1024 * 1024
/** A UTF-16 code unit takes up to three bytes in UTF-8. */
const MAX_LINE_BYTES = 3 * MAX_LINE_LENGTH
/** Approximate size of a piece. */
const PIECE_BYTES = 1024 * 1024
const NEWLINE = 10

/**
 * Splits a stream into pieces of whole lines, each with its own buffer; an overlong line without an end is a piece,
 * too.
 */
export async function* readPieces(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    chunks.push(bytes)
    length += bytes.length
    if (length < PIECE_BYTES) continue
    const whole = joinBytes(chunks, length)
    const end = whole.lastIndexOf(NEWLINE) + 1
    if (end === 0 && length <= MAX_LINE_BYTES) {
      chunks = [whole]
      continue
    }
    const rest = end === 0 ? whole.subarray(length) : whole.slice(end)
    yield end === 0 ? whole : whole.subarray(0, end)
    chunks = [rest]
    length = rest.length
  }
  if (length > 0) yield joinBytes(chunks, length)
}

/** A line that is not one valid finding: its number in the piece, from 1, and its text or problem. */
export type RefusedLine = { line: number } & ({ text: string } | { problem: 'encoding' | 'length' })

/**
 * Parses each line that is not blank and passes it to `take`. Returns the number of lines, including blank ones, or the
 * first line that is not JSON, is too long, is not UTF-8, or is rejected by `take`.
 */
export function eachLine(piece: Uint8Array, take: (value: unknown) => boolean): { lines: number } | RefusedLine {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
  if (!isUtf8(bytes)) return findUndecodable(bytes)
  let line = 0
  for (let end: number, from = 0; from < bytes.length; from = end + 1) {
    line++
    end = endOfLine(bytes, from)
    const text = decode(bytes.subarray(from, end))
    if (text.length > MAX_LINE_LENGTH) return { line, problem: 'length' }
    const trimmed = text.trim()
    if (trimmed === '') continue
    let value: unknown
    try {
      value = parseOutsideJson(trimmed)
    } catch {
      return { line, text }
    }
    if (!take(value)) return { line, text }
  }
  return { lines: line }
}

function endOfLine(bytes: Buffer, from: number): number {
  const found = bytes.indexOf(NEWLINE, from)
  return found < 0 ? bytes.length : found
}

function findUndecodable(bytes: Buffer): RefusedLine {
  for (let line = 1, from = 0; ; line++) {
    const end = endOfLine(bytes, from)
    // An overlong line may have been cut in the middle of a character.
    if (end - from > MAX_LINE_BYTES) return { line, problem: 'length' }
    if (!isUtf8(bytes.subarray(from, end))) return { line, problem: 'encoding' }
    from = end + 1
  }
}

const decode = (bytes: Buffer): string => bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8')

/** The error of a refused line, by its number in the file. */
export function explainRefused(refused: RefusedLine, line: number, latest?: number): AppError {
  if ('problem' in refused) {
    return refused.problem === 'length'
      ? badLine(line, [{ path: '', message: `is longer than ${MAX_LINE_LENGTH} characters.` }])
      : invalidInput(`Nothing was imported: line ${line} of the file is not UTF-8 text; convert it first.`, {
          reason: 'bad_line',
          facts: { line },
        })
  }
  let value: unknown
  try {
    value = parseOutsideJson(refused.text.trim())
  } catch {
    return badLine(line, [{ path: '', message: 'is not JSON; each line must contain one finding.' }])
  }
  parseImportLine(value, line, latest)
  throw new RangeError('a valid line was rejected')
}
