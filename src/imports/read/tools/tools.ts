import type { z } from 'zod'
import { AppError, invalidInput } from '../../../kernel/errors.ts'
import { isObject } from '../../../kernel/json-object.ts'
import { parseOutsideJson } from '../../../kernel/well-formed.ts'
import { showKey } from '../../../operation/shown-key.ts'
import type { ToolFormat } from '../../request.ts'
import { decodeTexts } from '../decode.ts'
import { type JsonPart, JsonPartsError, splitJson } from '../json-parts.ts'
import type { ReadRun } from '../runs.ts'
import { HeldResults } from '../sarif/held.ts'
import { ResultNumbers } from '../sarif/identity.ts'
import { type ScannerResult, type ToolReader, toolReaders } from './formats.ts'

/**
 * Reads the file of a tool as one run. Each result is made into what the tool writes in SARIF, so that it is recognized
 * in both formats; what was found is only compared.
 */
export async function* readTool(
  format: ToolFormat,
  stream: AsyncIterable<Uint8Array | string>,
  now: number,
): AsyncGenerator<ReadRun> {
  const reader = toolReaders[format]
  const { title, path } = reader
  const held = new HeldResults()
  const itemLevel = path?.length ?? 1
  let whole: unknown
  let count = 0
  const texts = decodeTexts(stream)
  for await (const { level, text, line } of path === undefined ? splitLines(texts) : readParts(texts, path, title)) {
    const value = parse(text, line, title)
    if (level === 0) whole = value
    if (level !== itemLevel) continue
    for (const { status, secrets, ...result } of readItem(value, reader, { line, number: ++count }))
      held.add(toSarif(result), '', line, { ...(status && { status }), ...(secrets && { secrets }) })
  }
  requireList(whole, reader)
  const { name, endedAt } = reader.toRun(whole)
  const invocations = endedAt === undefined ? [] : [{ endTimeUtc: endedAt }]
  const run = { tool: { driver: { name } }, invocations, results: [] }
  yield held.toRun(run, '', { numbers: new ResultNumbers(), now })
}

const badItem = (line: number, what: string) =>
  invalidInput(`Nothing was imported: line ${line} ${what}`, { reason: 'bad_line', facts: { line } })

/** Non-blank lines as items. */
async function* splitLines(texts: AsyncIterable<string>): AsyncGenerator<JsonPart> {
  let rest = ''
  let line = 0
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const each of lines) if (++line > 0 && each.trim() !== '') yield { level: 1, text: each, line }
    if (rest.length > MAX_LINE) throw badItem(line + 1, 'is too long; remove embedded content.')
  }
  if (rest.trim() !== '') yield { level: 1, text: rest, line: line + 1 }
}

const MAX_LINE = 32 * 1024 * 1024

async function* readParts(
  texts: AsyncIterable<string>,
  path: readonly string[],
  title: string,
): AsyncGenerator<JsonPart> {
  try {
    yield* splitJson(texts, path)
  } catch (error) {
    if (!(error instanceof JsonPartsError)) throw error
    const { line } = error
    if (error.reason === 'malformed') throw badItem(line, `is not JSON; give a complete file of ${title}.`)
    if (error.reason === 'too_deep') throw badItem(line, `is nested too deeply; give a file of ${title}.`)
    throw new AppError('too_large', `Line ${line} of the file has a value that is too long; remove embedded content.`)
  }
}

function parse(text: string, line: number, title: string): unknown {
  try {
    return parseOutsideJson(text)
  } catch {
    throw badItem(line, `is not JSON; give a complete file of ${title}.`)
  }
}

function readItem(
  value: unknown,
  { title, schemas }: ToolReader,
  { line, number }: { line: number; number: number },
): readonly ScannerResult[] {
  const [, schema] =
    schemas.find(([member]) => isObject(value) && Object.hasOwn(value, member)) ?? (schemas[0] as (typeof schemas)[0])
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data
  throw badItem(line, `is not ${title}: in finding ${number}, ${describe(error.issues[0])}.`)
}

/** The path may contain names of files. */
function describe(issue: z.core.$ZodIssue | undefined): string {
  const path = issue?.path.filter((part) => typeof part === 'string').join('.') ?? ''
  const expected = issue?.code === 'invalid_type' ? issue.expected : undefined
  return `${path === '' ? 'it' : showKey(path)} must be ${expected === undefined ? 'another value' : `of type ${expected}`}`
}

/** What surrounds the items must be there, or a cut file would pass for a complete one. */
function requireList(whole: unknown, { path, title }: ToolReader): void {
  const [name] = path ?? []
  if (name === undefined) return
  const list = name === '' ? whole : isObject(whole) ? whole[name] : undefined
  if (!Array.isArray(list)) throw badItem(1, `is not the beginning of ${title}: ${name || 'the file'} must be a list.`)
}

function toSarif({
  ruleId,
  level,
  message,
  uri,
  line,
  column,
  snippet,
  ...more
}: Omit<ScannerResult, 'status' | 'secrets'>) {
  const region = { startLine: line, startColumn: column, snippet: { text: snippet } }
  return {
    ...{ ruleId, level, message: { text: message } },
    locations: [{ physicalLocation: { artifactLocation: { uri }, region } }],
    ...{ fingerprints: more.fingerprints, partialFingerprints: more.partialFingerprints },
    ...(more.isSuppressed === true ? { suppressions: [{ kind: 'inSource' }] } : {}),
    ...(more.score === undefined ? {} : { properties: { 'security-severity': more.score } }),
  }
}
