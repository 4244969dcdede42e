import { db } from '../store/builder.ts'
import type { AccessTokenRow } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'

export type TokenRow = Omit<AccessTokenRow, 'lockdown'> & { lockdown: number }

export function insertToken(writer: Writer, row: Omit<TokenRow, 'revoked_at' | 'last_used_at'>): void {
  writer.run(db.insertInto('access_token').values({ ...row, revoked_at: null, last_used_at: null }))
}

/** Reads one row in any case, so that the time does not reveal whether the token exists. */
export function findToken(reader: Reader, id: string): TokenRow | undefined {
  const row = reader
    .prepare('SELECT token.* FROM (SELECT ? AS id) AS asked LEFT JOIN access_token AS token ON token.id = asked.id')
    .get(id) as TokenRow | { [Member in keyof TokenRow]: null }
  return row.id === null ? undefined : row
}

/** Counts revoked and expired tokens too: access must not become open again when the last token ends. */
export function hasTokens(reader: Reader): boolean {
  return reader.prepare('SELECT 1 FROM access_token LIMIT 1').get() !== undefined
}

export function listTokenRows(reader: Reader): TokenRow[] {
  return reader.all(db.selectFrom('access_token').selectAll().orderBy('created_at').orderBy('id'))
}

export function listActiveIds(reader: Reader, now: number): string[] {
  const active = db
    .selectFrom('access_token')
    .select('id')
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
  return reader.all(active).map(({ id }) => id)
}

export function markRevoked(writer: Writer, id: string, at: number): void {
  writer.run(
    db.updateTable('access_token').set({ revoked_at: at }).where('id', '=', id).where('revoked_at', 'is', null),
  )
}

export function removeTokens(writer: Writer): void {
  writer.run(db.deleteFrom('access_token'))
}

export function markUsed(writer: Writer, id: string, at: number): void {
  writer.run(db.updateTable('access_token').set({ last_used_at: at }).where('id', '=', id))
}
