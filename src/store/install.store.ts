import { db } from './builder.ts'
import type { Reader, Writer } from './store.ts'

/** The id of this installation; undefined until its key is created. */
export function findInstallId(reader: Reader): string | undefined {
  return reader.first(db.selectFrom('install').select('value').where('name', '=', 'id'))?.value
}

const TEXTS_HIDDEN = 'texts_hidden'

/**
 * States of the pass over texts that earlier versions stored unmasked; once it is complete, the value is its time in ms
 * instead.
 */
export const textsHidden = {
  /** There was nothing to mask. */
  nothing: '0',
  /** Masked, but the original texts remain in free pages of the file until it is compacted. */
  uncompacted: 'uncompacted',
} as const

/** Undefined: the stored texts were not examined yet. */
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
