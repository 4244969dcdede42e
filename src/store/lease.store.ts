import { internalText } from '../kernel/safe-text.ts'
import { db } from './builder.ts'
import type { Reader, Writer } from './store.ts'

export interface Lease {
  holder: string
  expiresAt: number
}

export function findLease(reader: Reader, name: string): Lease | undefined {
  return reader.first(db.selectFrom('lease').select(['holder', 'expires_at as expiresAt']).where('name', '=', name))
}

export function saveLease(writer: Writer, name: string, { holder, expiresAt }: Lease): void {
  writer
    .prepare(
      `INSERT INTO lease (name, holder, token, expires_at) VALUES (@name, @holder, 1, @at)
       ON CONFLICT (name) DO UPDATE SET expires_at = @at, holder = @holder,
         token = lease.token + CASE WHEN lease.holder = @holder THEN 0 ELSE 1 END`,
    )
    .run({ name: internalText(name), holder: internalText(holder), at: expiresAt })
}

export function dropLease(writer: Writer, name: string, holder: string): void {
  writer.run(db.deleteFrom('lease').where('name', '=', name).where('holder', '=', holder))
}
