import { foldSafe, type SafeText } from '../kernel/safe-text.ts'
import { db } from './builder.ts'
import type { Reader, Writer } from './store.ts'

/** The id of a text in the dictionary, which is added when new; 0 for ''. */
export function ensureDictionaryId(writer: Writer, text: SafeText): number {
  if (text === '') return 0
  const known = findWord(writer, text)
  if (known !== undefined) return known
  return writer.insert(
    db
      .insertInto('word')
      .values({ text, folded: foldSafe(text) })
      .returning('id'),
  )
}

export function findWord(reader: Reader, text: string): number | undefined {
  return reader.prepare('SELECT id FROM word WHERE text = ?').pluck().get(text) as number | undefined
}
