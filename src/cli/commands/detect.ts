import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Command } from 'commander'
import { z } from 'zod'
import { byCodeUnits } from '../../kernel/by-code-units.ts'
import { AppError } from '../../kernel/errors.ts'
import { showSentence, line as text } from '../../kernel/shown.ts'
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
    .description('run the detectors on files, on all files of folders, or on NDJSON {"id","text","mime"?} from stdin')
    .argument('[paths...]', 'files and folders to read instead of stdin; hidden folders and node_modules are left out')
    .option('--types <list>', 'which detectors, such as SECRETS,PII')
    .option('--file <path...>', 'further files and folders')
    .option('--explain', 'with the reason for each finding, in words')
    .action(async (given: string[], options: { types?: string; file?: string[]; explain?: boolean }) => {
      const { detectText } = await import('../../detectors/detect-text.ts')
      const types = {
        ...(options.types !== undefined && { types: await toTypes(options.types) }),
        explain: options.explain,
      }
      const paths = [...given, ...(options.file ?? [])]
      if (paths.length > 0) {
        for (const { path, isListed } of paths.flatMap(listFiles)) {
          const read = readTextFile(path)
          if (isListed && read.includes('\0')) {
            await showNote(host, text`${showSentence(path)} is not a text and was left out.`)
            continue
          }
          const mime = mimes[extname(path).toLowerCase()]
          const answer = await detectText({
            id: path,
            path,
            text: read,
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
          text`Waiting for lines such as {"id": "1", "text": "…"} on standard input; Ctrl-D ends them. Files and folders can be named instead.`,
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

interface TextFile {
  path: string
  /** Whether it was found in a folder, which may also contain files that are no texts. */
  isListed: boolean
}

/** The file of a path; of a folder all regular files below it, by name. */
function listFiles(path: string): TextFile[] {
  return reading(path, () => {
    if (!statSync(path).isDirectory()) return [{ path, isListed: false }]
    const entries = readdirSync(path, { withFileTypes: true }).toSorted((a, b) => byCodeUnits(a.name, b.name))
    return entries.flatMap((entry) => {
      const inside = join(path, entry.name)
      if (entry.isDirectory()) return /^\.|^node_modules$/.test(entry.name) ? [] : listFiles(inside)
      return entry.isFile() ? [{ path: inside, isListed: true }] : []
    })
  })
}

const readTextFile = (path: string): string => reading(path, () => readRegularFile(path).toString('utf8'))

function reading<T>(path: string, work: () => T): T {
  try {
    return work()
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
