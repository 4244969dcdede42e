import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkDefinition as checkDetector } from '../custom-detectors/checks.ts'
import type { DetectorDefinition } from '../custom-detectors/model.ts'
import { AppError, describeMoreProblems, type Issue, invalidInput, notFound } from '../kernel/errors.ts'
import { given } from '../kernel/json-object.ts'
import { parseInput } from '../operation/operation.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import { isInside } from './files.ts'
import { type Definition, type Kind, keyOf, kindFacts, kinds, kindWords, type Members } from './model.ts'
import { toDefinition } from './normal.ts'
import { readYaml, type YamlText } from './yaml.ts'

const MAX_FILE_BYTES = 256 * 1024
const MAX_FILES = 5_000
const MAX_BYTES = 32 * 1024 * 1024
const MAX_READ_MS = 60_000

/** A problem and its location: `file:line:column`, then the member. */
export interface Problem {
  file: string
  line: number
  column: number
  path: string
  message: string
}

export interface DefinitionFile {
  /** Relative to the folder, with `/`. */
  path: string
  kind: Kind
  yaml: YamlText
  definition: Definition
  /** The members that the file states, without defaults. */
  stated: Members
}

export interface DefinitionFolder {
  path: string
  files: DefinitionFile[]
  problems: Problem[]
  /** The kinds whose folder exists: only for these can a missing file mean a deleted definition. */
  managed: ReadonlySet<Kind>
}

/**
 * Reads every definition in a folder; the order of files has no meaning. Links are followed only inside the folder.
 * @throws AppError `not_found` when there is no such folder, `too_large` when it exceeds the limits for definitions
 */
export function readFolder(path: string): DefinitionFolder {
  const reading = readInSteps(path)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
  }
}

/**
 * Like `readFolder`, yielding to the event loop between files.
 * @throws AppError `unavailable` once `signal` is aborted
 */
export async function readFolderInTurns(path: string, signal: AbortSignal): Promise<DefinitionFolder> {
  const reading = readInSteps(path)
  const deadline = performance.now() + MAX_READ_MS
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
    await nextTurn()
    if (signal.aborted) throw new AppError('unavailable', 'Reading the definitions was cancelled; nothing was changed.')
    if (performance.now() > deadline) throw tooLarge(`more than can be read in ${MAX_READ_MS / 1000} seconds`)
  }
}

function* readInSteps(folder: string): Generator<void, DefinitionFolder> {
  if (statIfThere(folder)?.isDirectory() !== true) {
    throw notFound(
      `The folder ${folder} does not exist; name one with --dir, or create it with \`assay export --dir\`.`,
    )
  }
  const files: DefinitionFile[] = []
  const problems: Problem[] = []
  const managed = new Set<Kind>()
  let bytes = 0
  for (const kind of kinds) {
    const place = kindFacts[kind].folder
    const entries = listFiles(folder, place)
    if (entries === undefined) continue
    managed.add(kind)
    problems.push(...entries.problems)
    if (entries.paths.length + files.length > MAX_FILES) throw tooLarge(`more than ${MAX_FILES} files`)
    for (const path of entries.paths) {
      yield
      const text = readText(join(folder, path))
      if (text === undefined) {
        const message = `is larger than ${MAX_FILE_BYTES} bytes or not UTF-8 text, so it is not a definition; remove it.`
        problems.push(wholeFile(path, message))
        continue
      }
      bytes += text.length
      if (bytes > MAX_BYTES) throw tooLarge(`more than ${MAX_BYTES} bytes`)
      const read = readFile(path, kind, text)
      if ('problems' in read) problems.push(...read.problems)
      else files.push(read)
    }
  }
  return { path: folder, files, problems: [...problems, ...findDuplicates(files)], managed }
}

const wholeFile = (file: string, message: string): Problem => ({ file, line: 1, column: 1, path: '', message })

/** The files to read, and problems with entries that cannot be read. */
function listFiles(folder: string, place: string): { paths: string[]; problems: Problem[] } | undefined {
  if (statIfThere(join(folder, place))?.isDirectory() !== true) return undefined
  if (!isInside(folder, join(folder, place))) return { paths: [], problems: [wholeFile(place, LEADS_OUT)] }
  const found = readdirSync(join(folder, place))
    .filter((name) => /\.ya?ml$/i.test(name) && !name.startsWith('.'))
    .sort()
    .map((name) => ({ path: `${place}/${name}`, stats: statIfThere(join(folder, place, name)) }))
    .filter(({ stats }) => stats?.isDirectory() === false)
  const isRead = ({ path, stats }: (typeof found)[number]) =>
    stats?.isFile() === true && isInside(folder, join(folder, path))
  return {
    paths: found.filter(isRead).map(({ path }) => path),
    problems: found
      .filter((each) => !isRead(each))
      .map(({ path, stats }) =>
        wholeFile(path, stats?.isFile() === true ? LEADS_OUT : 'is not a regular file; remove it.'),
      ),
  }
}

const LEADS_OUT = 'is a symbolic link to a file outside the folder; replace it with a copy.'

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

function readText(file: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readRegularFile(file, { maxBytes: MAX_FILE_BYTES }))
  } catch {
    return undefined
  }
}

/** Reads one file: its syntax, its schema, and the checks that need no other definition. */
export function readFile(path: string, kind: Kind, text: string): DefinitionFile | { problems: Problem[] } {
  const yaml = readYaml(text)
  if (yaml.value === undefined) {
    return { problems: yaml.problems.map((problem) => ({ file: path, path: '', ...problem })) }
  }
  const problem = (issue: Issue): Problem => ({ file: path, ...yaml.placeOf(issue.path), ...issue })
  try {
    const members = parseInput(kindFacts[kind].schema, yaml.value) as Members
    if (kind === 'custom_detector') checkDetector(members.definition as DetectorDefinition, 'definition')
    const stated = given(members)
    return { path, kind, yaml, definition: toDefinition(kind, stated), stated }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { issues = [{ path: '', message: error.message }] } = error.facts
    return { problems: issues.map(problem) }
  }
}

function findDuplicates(files: readonly DefinitionFile[]): Problem[] {
  const first = new Map<string, DefinitionFile>()
  return files.flatMap((file): Problem[] => {
    const { definition, kind, yaml, path } = file
    const other = first.get(keyOf(definition))
    if (other === undefined) {
      first.set(keyOf(definition), file)
      return []
    }
    const { nameKey } = kindFacts[kind]
    const { line } = other.yaml.placeOf(nameKey)
    const message = `the ${kindWords[kind]} ${definition.name} is already defined in ${other.path}:${line}; keep one of them.`
    return [{ file: path, ...yaml.placeOf(nameKey), path: nameKey, message }]
  })
}

const tooLarge = (what: string) =>
  new AppError('too_large', `The folder contains ${what}; name the folder of the definitions.`)

/** A problem in a definition without a file has no line. */
const toPlace = ({ file, line, column }: Problem): string =>
  line === 0 ? `in the ${file}` : `${file}:${line}:${column}`

export const toProblemLine = (problem: Problem): string =>
  `${toPlace(problem)}: ${problem.path === '' ? '' : `${problem.path} `}${problem.message}`

/** @throws AppError `invalid_input` listing all problems, if there are any */
export function requireValidFiles(problems: readonly Problem[]): void {
  const [first] = problems
  if (first === undefined) return
  const more = describeMoreProblems(problems, '')
  throw invalidInput(`The definitions are not valid: ${toProblemLine(first)}${more}`, {
    reason: 'invalid_definitions',
    issues: problems.map((problem) => ({
      path: `${toPlace(problem)}${problem.path === '' ? '' : ` ${problem.path}`}`,
      message: problem.message,
    })),
  })
}
