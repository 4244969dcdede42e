import { isAscii } from 'node:buffer'
import { type AppError, invalidInput } from '../../kernel/errors.ts'
import { joinBytes } from '../../kernel/join-bytes.ts'
import { badLine, parseImportLine } from './import-line.ts'

const MAX_LINE_LENGTH = 1024 * 1024
/** A UTF-16 code unit takes up to three bytes in UTF-8. */
const MAX_LINE_BYTES = 3 * MAX_LINE_LENGTH
/** Approximate size of a piece. */
const PIECE_BYTES = 2 * 1024 * 1024
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
export function eachLine(
  piece: Uint8Array,
  take: (value: unknown, line: number) => boolean,
): { lines: number } | RefusedLine {
  const lines = splitLines(piece)
  if ('line' in lines) return lines
  let index = -1
  for (const text of lines.texts) {
    index++
    if (text.length > MAX_LINE_LENGTH) return { line: index + 1, problem: 'length' }
    const trimmed = text.trim()
    if (trimmed === '') continue
    let value: unknown
    try {
      value = JSON.parse(trimmed)
    } catch {
      return { line: index + 1, text }
    }
    if (!take(value, index + 1)) return { line: index + 1, text }
  }
  return { lines: lines.texts.length }
}

function splitLines(piece: Uint8Array): { texts: string[] } | RefusedLine {
  try {
    const texts = decode(piece).split('\n')
    if (texts.at(-1) === '') texts.pop()
    return { texts }
  } catch {
    for (let line = 1, from = 0; ; line++) {
      const found = piece.indexOf(NEWLINE, from)
      const end = found < 0 ? piece.length : found
      // An overlong line may have been cut in the middle of a character.
      if (end - from > MAX_LINE_BYTES) return { line, problem: 'length' }
      try {
        decode(piece.subarray(from, end))
      } catch {
        return { line, problem: 'encoding' }
      }
      from = end + 1
    }
  }
}

const decode = (bytes: Uint8Array): string =>
  isAscii(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    : new TextDecoder('utf-8', { fatal: true }).decode(bytes)

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
    value = JSON.parse(refused.text.trim())
  } catch {
    return badLine(line, [{ path: '', message: 'is not JSON; each line must contain one finding.' }])
  }
  parseImportLine(value, line, latest)
  throw new RangeError('a valid line was rejected')
}
