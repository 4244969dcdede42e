import type { Audience, AudienceName } from '../connectors/audience.ts'
import { toInstant } from '../kernel/instant.ts'
import { audienceCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import { parentKey } from './missing-assets.store.ts'
import type { AudienceChange } from './model.ts'

const names = new Map<number, AudienceName>(
  Object.entries(audienceCodes).map(([name, code]) => [code, name as AudienceName]),
)
export const toAudienceName = (code: number): AudienceName => names.get(code) ?? 'unknown'

/** The members that show an audience; without the number of people where it is not known. */
export const showAudience = (row: { audience: number; audience_size: number | null }) => ({
  audience: toAudienceName(row.audience),
  ...(row.audience_size === null ? {} : { audienceSize: row.audience_size }),
})

/** An active asset with its audience as a code. */
export interface StoredAudience {
  id: number
  key: string
  /** The asset that it belongs to. */
  parentKey: string | null
  code: number
  size: number | null
}

/** The active assets of a scope. */
export function listAudiences(reader: Reader, sourceId: number, scopeKey: string): StoredAudience[] {
  return reader
    .prepare(
      `SELECT a.id, a.key, a.audience AS code, a.audience_size AS size, ${parentKey} AS parentKey
       FROM asset a WHERE a.source_id = ? AND a.scope_key = ? AND a.status = 'ACTIVE' ORDER BY a.id`,
    )
    .all(sourceId, scopeKey) as StoredAudience[]
}

/** The audiences of the active assets that link to an asset. */
export function listLinkingAudiences(reader: Reader, { id }: Pick<StoredAudience, 'id'>): Audience[] {
  const rows = reader
    .prepare(
      `SELECT DISTINCT p.audience AS code, p.audience_size AS size
       FROM asset a JOIN asset_link l ON l.target_key = a.key AND l.type = 'links_to' JOIN asset p ON p.id = l.asset_id
       WHERE a.id = ? AND p.source_id = a.source_id AND p.status = 'ACTIVE'`,
    )
    .all(id) as { code: number; size: number | null }[]
  return rows.map(({ code, size }) => ({ name: toAudienceName(code), size }))
}

const insertChange = `INSERT INTO audience_change (asset_id, seq, at, was, was_size, now, now_size)
  SELECT @id, coalesce(max(seq), 0) + 1, @at, @was, @was_size, @now, @now_size FROM audience_change WHERE asset_id = @id`

/** Stores the audience of an asset, and its change. */
export function saveAudience(
  writer: Writer,
  before: Pick<StoredAudience, 'id' | 'code' | 'size'>,
  { name, size }: Audience,
  at: number,
): void {
  const now = audienceCodes[name]
  if (now === before.code && size === before.size) return
  const { id, code: was, size: was_size } = before
  writer
    .prepare('UPDATE main.asset SET audience = @now, audience_size = @now_size WHERE id = @id')
    .run({ id, now, now_size: size })
  writer.prepare(insertChange).run({ id, at, was, was_size, now, now_size: size })
}

/** The changes of an asset's audience, oldest first. */
export function listAudienceChanges(reader: Reader, assetId: number): AudienceChange[] {
  const rows = reader
    .prepare('SELECT at, was, was_size, now, now_size FROM audience_change WHERE asset_id = ? ORDER BY seq')
    .all(assetId) as { at: number; was: number; was_size: number | null; now: number; now_size: number | null }[]
  return rows.map(({ at, was, was_size, now, now_size }) => ({
    at: toInstant(at),
    from: toAudienceName(was),
    ...(was_size === null ? {} : { fromSize: was_size }),
    to: toAudienceName(now),
    ...(now_size === null ? {} : { toSize: now_size }),
  }))
}
