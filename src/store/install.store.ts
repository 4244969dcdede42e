import { db } from './builder.ts'
import type { Reader, Writer } from './store.ts'

/** The id of this installation; undefined until its key was made. */
export function findInstallId(reader: Reader): string | undefined {
  return reader.first(db.selectFrom('install').select('value').where('name', '=', 'id'))?.value
}

const TEXTS_HIDDEN = 'texts_hidden'

/** States of the look through the texts that earlier versions stored; else the moment at which it was over. */
export const textsHidden = {
  /** There was nothing to hide. */
  nothing: '0',
  /** What was hidden still stands in free parts of the file. */
  uncompacted: 'uncompacted',
} as const

/** Undefined: the stored texts were not looked through yet. */
export function findTextsHiddenAt(reader: Reader): string | undefined {
  return reader.first(db.selectFrom('install').select('value').where('name', '=', TEXTS_HIDDEN))?.value
}

export function areTextsHidden(reader: Reader): boolean {
  const at = findTextsHiddenAt(reader)
  return at !== undefined && at !== textsHidden.uncompacted
}

export function saveTextsHidden(writer: Writer, value: string): void {
  writer.run(
    db
      .insertInto('install')
      .values({ name: TEXTS_HIDDEN, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value })),
  )
}
