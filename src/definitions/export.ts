import { hash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, type Issue } from '../kernel/errors.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { packageFile } from '../runtime/package-files.ts'
import { writeWhole } from '../runtime/regular-file.ts'
import { findInstallId } from '../store/keys/vault-file.ts'
import type { Store } from '../store/store.ts'
import { requireInside } from './files.ts'
import { type DefinitionFile, type DefinitionFolder, readFile, requireValidFiles } from './folder.ts'
import { type Definition, type DefinitionSet, isSame, keyOf, kindFacts, kinds, toDigest } from './model.ts'
import { loadDefinitions, toFileMembers } from './normal.ts'
import { type Base, readBase, requireNone, toBase, writeBase } from './sync-state.ts'
import { patchYaml, writeYaml } from './yaml.ts'

const schemas = packageFile('schemas/')

export interface ExportResult {
  /** Files by outcome, relative to the folder. */
  created: string[]
  updated: string[]
  unchanged: number
  /** Files whose definitions are not in the database. */
  left: string[]
  removed: string[]
}

/**
 * Writes every definition to its file, in an existing folder that was read before. An existing file keeps its name,
 * comments and order, and is not rewritten if its content is equal.
 * @throws AppError `conflict` when files were edited since the last synchronization, unless forced
 */
export function exportDefinitions(
  store: Store,
  { path: folder, files, problems }: DefinitionFolder,
  { prune, force }: { prune: boolean; force: boolean },
): ExportResult {
  const { definitions, installId } = store.read((reader) => ({
    definitions: loadDefinitions(reader),
    installId: findInstallId(reader),
  }))
  requireValidFiles(problems)
  const fileOf = new Map(files.map((file) => [keyOf(file.definition), file]))
  if (!force) requireUnedited(readBase(folder, installId), files, definitions)
  const taken = new Set(files.map(({ path }) => path.toLowerCase()))
  const result: ExportResult = { created: [], updated: [], unchanged: 0, left: [], removed: [] }
  for (const [key, definition] of definitions) {
    const file = fileOf.get(key)
    if (file === undefined) {
      const path = choosePath(definition, taken)
      taken.add(path.toLowerCase())
      writeWhole(join(folder, path), toNewText(definition))
      result.created.push(path)
    } else if (isSame(file.definition, definition)) {
      result.unchanged += 1
    } else {
      writeWhole(join(folder, file.path), toPatchedText(file, definition))
      result.updated.push(file.path)
    }
  }
  for (const { path, definition } of files) {
    if (definitions.has(keyOf(definition))) continue
    if (prune) rmSync(join(folder, path))
    result[prune ? 'removed' : 'left'].push(path)
  }
  writeBase(folder, installId, toBase(definitions))
  return result
}

/** Creates the export folder, with the JSON schemas that editors validate against. */
export function makeExportFolder(folder: string): void {
  try {
    for (const name of ['schemas', ...kinds.map((kind) => kindFacts[kind].folder)]) {
      makeFolder(join(folder, name))
      requireInside(folder, join(folder, name))
    }
    for (const kind of kinds) {
      const { schemaFile } = kindFacts[kind]
      writeWhole(join(folder, 'schemas', schemaFile), readFileSync(new URL(schemaFile, schemas), 'utf8'))
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('unavailable', `The folder ${folder} cannot be written to; choose another one.`, { cause })
  }
}

function requireUnedited(base: Base | undefined, files: readonly DefinitionFile[], definitions: DefinitionSet): void {
  const issues = files.flatMap(({ path, definition }): Issue[] => {
    const present = definitions.get(keyOf(definition))
    if (present === undefined || isSame(present, definition)) return []
    if (base?.get(keyOf(definition)) === toDigest(definition)) return []
    const message = 'differs from the database; apply it first, or export with --force to overwrite it.'
    return [{ path, message }]
  })
  requireNone(issues, 'Edited files would be overwritten')
}

/** Windows takes these for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

function choosePath({ kind, name }: Definition, taken: ReadonlySet<string>): string {
  const { folder } = kindFacts[kind]
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
  const stem = plain.replace(/^-+|-+$/g, '').slice(0, 100)
  const isPlain = stem !== '' && !DEVICE.test(stem)
  const tag = hash('sha256', name).slice(0, 8)
  const candidates = [...(isPlain ? [`${folder}/${stem}.yaml`] : []), `${folder}/${stem || kind}-${tag}.yaml`]
  return candidates.find((path) => !taken.has(path)) ?? `${folder}/${stem || kind}-${tag}-${taken.size}.yaml`
}

function toNewText(definition: Definition): string {
  const { schemaFile } = kindFacts[definition.kind]
  return `# yaml-language-server: $schema=../schemas/${schemaFile}\n${writeYaml(toFileMembers(definition))}`
}

/**
 * The file's text patched with new values; rewritten from scratch if the patched text would not give the definition.
 */
function toPatchedText({ path, kind, yaml }: DefinitionFile, definition: Definition): string {
  const text = patchYaml(yaml.document, toFileMembers(definition))
  const read = readFile(path, kind, text)
  return 'definition' in read && isSame(read.definition, definition) ? text : toNewText(definition)
}
