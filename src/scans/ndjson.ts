import { invalidInput } from '../kernel/errors.ts'
import { badLine } from './import-line.ts'

const LONGEST_LINE = 1024 * 1024

/** A value of a stream, with the number of its line from 1. */
export interface NumberedValue {
  line: number
  value: unknown
  /** Its `resolvedAt` was not told: it is the moment of reading, and no correction of what is kept. */
  undated?: boolean
}

/** Reads JSON values, one a line; blank lines count but hold nothing. @throws AppError `invalid_input` naming the line. */
export async function* readNdjson(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<NumberedValue> {
  let line = 0
  for await (const texts of readLines(stream)) {
    for (const text of texts) {
      line++
      const trimmed = text.trim()
      if (trimmed !== '') yield { line, value: parseLine(trimmed, line) }
    }
  }
}

function parseLine(text: string, line: number): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badLine(line, [{ path: '', message: 'is not JSON; each line holds one finding.' }])
  }
}

async function* readLines(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let count = 0
  for await (const chunk of stream) {
    const lines = (rest + (typeof chunk === 'string' ? chunk : decode(chunk))).split('\n')
    rest = lines.pop() ?? ''
    count += lines.length
    yield lines
    if (rest.length > LONGEST_LINE) {
      throw badLine(count + 1, [{ path: '', message: `is longer than ${LONGEST_LINE} characters.` }])
    }
  }
  rest += decode(undefined)
  if (rest !== '') yield [rest]

  function decode(bytes: Uint8Array | undefined): string {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      throw invalidInput(
        `Nothing was imported: the file is not UTF-8 text, around line ${count + 1}; convert it first.`,
        {
          reason: 'bad_line',
          facts: { line: count + 1 },
        },
      )
    }
  }
}
