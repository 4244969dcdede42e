import { existsSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../kernel/errors.ts'
import { line, type Shown, showSentence } from '../kernel/shown.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import { EditError } from './jsonc.ts'

/** A change of one file that is not made yet. */
export interface SettingsChange {
  file: string
  before: string | undefined
  after: string
}

/**
 * Works out a change of a file, which need not be there. @throws AppError `invalid_input` when the file cannot be
 * edited safely.
 */
export function planChange(file: string, edit: (text: string) => string): SettingsChange {
  const before = existsSync(file) ? readRegularFile(file).toString('utf8') : undefined
  try {
    return { file, before, after: edit(before ?? '') }
  } catch (error) {
    if (!(error instanceof EditError)) throw error
    throw new AppError('invalid_input', `${file} was left as it is: ${error.message} Correct it and run this again.`)
  }
}

export const changesNothing = ({ before, after }: SettingsChange): boolean => (before ?? '') === after

/** Of one line of a settings file. */
const MAX_SHOWN = 10_000

/** The lines that go and come, with two of their neighbours. */
export function toDiff({ before = '', after }: SettingsChange): Shown[] {
  const [old, now] = [toLines(before), toLines(after)]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  while (tail < Math.min(old.length, now.length) - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const around = 2
  const show = (lines: readonly string[], sign: Shown) =>
    lines.map((text) => line`${sign} ${showSentence(text, MAX_SHOWN)}`)
  return [
    ...show(now.slice(Math.max(0, head - around), head), line` `),
    ...show(old.slice(head, old.length - tail), line`-`),
    ...show(now.slice(head, now.length - tail), line`+`),
    ...show(now.slice(now.length - tail, Math.min(now.length, now.length - tail + around)), line` `),
  ]
}

const toLines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Writes the change whole or not at all, beside a copy of what was there. Gives the place of the copy. */
export function makeChange({ file, before, after }: SettingsChange, now: Date): { backup?: string } {
  const target = existsSync(file) ? realpathSync(file) : file
  const mode = before === undefined ? 0o600 : statSync(target).mode & 0o777
  mkdirSync(dirname(target), { recursive: true })
  const backup = `${target}.${now.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.backup`
  if (before !== undefined) writeFileSync(backup, before, { mode })
  const fresh = `${target}.${process.pid}.new`
  writeFileSync(fresh, after, { mode })
  renameSync(fresh, target)
  return before === undefined ? {} : { backup }
}
