import { existsSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../kernel/errors.ts'
import { line, type PrintableText, showSentence } from '../kernel/shown.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import { replaceFile } from '../runtime/replace-file.ts'
import { EditError } from './jsonc.ts'

/** A planned change of one file. */
export interface SettingsChange {
  file: string
  before: string | undefined
  after: string
}

/**
 * Computes a change of a file, which need not exist.
 * @throws AppError `invalid_input` when the file cannot be edited safely
 */
export function planChange(file: string, edit: (text: string) => string): SettingsChange {
  const before = existsSync(file) ? readRegularFile(file).toString('utf8') : undefined
  try {
    return { file, before, after: edit(before ?? '') }
  } catch (error) {
    if (!(error instanceof EditError)) throw error
    throw new AppError('invalid_input', `${file} was not changed: ${error.message} Correct it and run this again.`)
  }
}

export const changesNothing = ({ before, after }: SettingsChange): boolean => (before ?? '') === after

/** The maximum length of a line shown from a settings file. */
const MAX_SHOWN = 10_000

/** The removed and added lines, with two lines of context. */
export function toDiff({ before = '', after }: SettingsChange): PrintableText[] {
  const [old, now] = [toLines(before), toLines(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const around = 2
  const show = (lines: readonly string[], sign: PrintableText) =>
    lines.map((text) => line`${sign} ${showSentence(text, MAX_SHOWN)}`)
  return [
    ...show(now.slice(Math.max(0, head - around), head), line` `),
    ...show(old.slice(head, old.length - tail), line`-`),
    ...show(now.slice(head, now.length - tail), line`+`),
    ...show(now.slice(now.length - tail, Math.min(now.length, now.length - tail + around)), line` `),
  ]
}

const toLines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Writes a change atomically and keeps a backup of the previous file. Returns the path of the backup. */
export function makeChange({ file, before, after }: SettingsChange, now: Date): { backup?: string } {
  const target = existsSync(file) ? realpathSync(file) : file
  const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777
  makeFolder(dirname(target))
  const backup = `${target}.${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`
  if (before !== undefined) writeFileSync(backup, before, { mode })
  const fresh = `${target}.${process.pid}.new`
  writeFileSync(fresh, after, { mode })
  replaceFile(fresh, target)
  return before === undefined ? {} : { backup }
}
