import { foldSafe, type SafeText } from '../kernel/safe-text.ts'
import { comparand, db } from './builder.ts'
import { type Bind, cachedQuery } from './cached-query.ts'
import type { Reader, Writer } from './store.ts'

/** The id of a text in the dictionary, which is added when new; 0 for ''. */
export function ensureDictionaryId(writer: Writer, text: SafeText): number {
  if (text === '') return 0
  const known = findWord(writer, text)
  if (known !== undefined) return known
  return writer.insert(insertWord(text))
}

const selectWord = cachedQuery((give: Bind<string>) =>
  db
    .selectFrom('word')
    .select('id')
    .where('text', '=', comparand(give(String))),
)
const insertWord = cachedQuery((give: Bind<SafeText>) =>
  db
    .insertInto('word')
    .values({ text: give((text) => text), folded: give(foldSafe) })
    .returning('id'),
)

export function findWord(reader: Reader, text: string): number | undefined {
  return reader.first(selectWord(text))?.id
}
