import { extname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { z } from 'zod'
import { AppError } from '../../kernel/errors.ts'
import { line as text } from '../../kernel/shown.ts'
import { parseAll } from '../../operation/input/parse.ts'
import { readRegularFile } from '../../runtime/regular-file.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Host } from '../host.ts'
import { showNote } from '../output/show.ts'
import { printJson } from '../session.ts'

const Line = z.strictObject({
  id: z.string(),
  text: z.string(),
  mime: z.string().optional(),
  path: z.string().optional(),
})

const mimes: Record<string, string> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.json': 'application/json',
  '.xml': 'application/xml',
}

export function addDetectCommand(program: Command, host: Host): void {
  declareDataUse('none', program.command('detect'))
    .description('run the detectors on text: NDJSON {"id","text","mime"?} on stdin, or --file')
    .option('--types <list>', 'which detectors, such as SECRETS,PII')
    .option('--file <path...>', 'plain text files to read instead of stdin')
    .option('--explain', 'with the reason for each finding, in words')
    .action(async (options: { types?: string; file?: string[]; explain?: boolean }) => {
      const { detectText } = await import('../../detectors/detect-text.ts')
      const types = {
        ...(options.types !== undefined && { types: await toTypes(options.types) }),
        explain: options.explain,
      }
      if (options.file !== undefined) {
        for (const path of options.file) {
          const mime = mimes[extname(path).toLowerCase()]
          const answer = await detectText({
            id: path,
            path,
            text: readTextFile(path),
            ...(mime && { mime }),
            ...types,
          })
          printJson(host, answer)
        }
        return
      }
      if (host.stdin.isTTY === true) {
        await showNote(
          host,
          text`Waiting for lines such as {"id": "1", "text": "…"} on standard input; Ctrl-D ends them. --file reads files instead.`,
        )
      }
      let number = 0
      for await (const line of createInterface({
        input: host.stdin as Readable,
        crlfDelay: Number.POSITIVE_INFINITY,
      })) {
        number += 1
        if (line.trim() === '') continue
        const { mime, path, ...rest } = await parseLine(line, number)
        printJson(host, await detectText({ ...rest, ...(mime && { mime }), ...(path && { path }), ...types }))
      }
    })
}

function readTextFile(path: string): string {
  try {
    return readRegularFile(path).toString('utf8')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('not_found', `The file ${path} cannot be read; check its name and permissions.`, { cause })
  }
}

async function toTypes(value: string): Promise<string[]> {
  const { documentDetectors, findDetector } = await import('../../detectors/index.ts')
  const known = documentDetectors.map(({ type }) => type)
  return value.split(',').map((name) => {
    const type = name.trim().toUpperCase()
    if ((known as readonly string[]).includes(type)) return type
    const why = findDetector(type) === undefined ? 'is not a detector' : 'needs more than one text'
    throw new UsageError(`${name.trim() || 'An empty name'} ${why}; the detectors for texts are ${known.join(', ')}.`)
  })
}

async function parseLine(line: string, number: number): Promise<z.infer<typeof Line>> {
  const { showKey } = await import('../../operation/shown-key.ts')
  const value = toJson(line, number)
  try {
    return parseAll(Line, value, showKey)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const [issue] = error.facts.issues ?? []
    throw new AppError(
      error.code,
      `Line ${number} is not valid: ${issue?.path || 'it'} ${issue?.message ?? error.message}`,
    )
  }
}

function toJson(line: string, number: number): unknown {
  try {
    // Trimming removes a byte order mark, too.
    return JSON.parse(line.trim())
  } catch {
    throw new AppError('invalid_input', `Line ${number} is not JSON; each line is {"id": …, "text": …}.`)
  }
}
