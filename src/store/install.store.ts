import { db } from './builder.ts'
import type { Reader } from './store.ts'

/** The id of this installation; undefined until its key is created. */
export function findInstallId(reader: Reader): string | undefined {
  return reader.first(db.selectFrom('install').select('value').where('name', '=', 'id'))?.value
}
