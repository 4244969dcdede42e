import { AppError } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import type { Host } from './host.ts'
import { findJsonProblem } from './json-argument.ts'
import { readText } from './session.ts'

const MAX_BYTES = 1024 * 1024

/** Reads a JSON object from a file; `-` is standard input. @throws AppError with line and column of the problem */
export async function readJsonFile(host: Host, path: string): Promise<Record<string, unknown>> {
  const isInput = path === '-'
  const text = isInput ? await readText(host.stdin as AsyncIterable<Uint8Array>, MAX_BYTES) : readFile(path)
  const problem = findJsonProblem(text.replace(/^\uFEFF/, ''))
  if (problem === undefined) return JSON.parse(text.replace(/^\uFEFF/, '')) as Record<string, unknown>
  const place = isInput ? 'Standard input' : `The file ${quote(path)}`
  throw new AppError('invalid_input', `${place} is not a JSON object; ${problem}`)
}

function readFile(path: string): string {
  try {
    return readRegularFile(path, { maxBytes: MAX_BYTES }).toString('utf8')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('not_found', `The file ${quote(path)} cannot be read; check its name and permissions.`, {
      cause,
    })
  }
}
