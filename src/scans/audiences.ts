import { type Audience, toWidest } from '../connectors/audience.ts'
import { endsScan } from '../connectors/failure.ts'
import type { SafeSession } from '../connectors/safe-session.ts'
import { listAudiences, listLinkingAudiences, type StoredAudience, saveAudience } from '../findings/audience.store.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { LeaseStopped, type ScanLease, whileLeased } from './lease.ts'
import type { ScopeRecord } from './model.ts'
import { listScopes } from './scopes.store.ts'

const CHUNK = 200
const unknown: Audience = { name: 'unknown', size: null }

export interface AudienceOptions {
  lease: ScanLease
  store: Store
  session: Pick<SafeSession, 'audiences'>
  log: Log
  now: () => number
}

/**
 * Reads who can read the assets of the scopes that were listed. An asset that belongs to another has the audience of that
 * one; one that others only link to has the widest of theirs.
 */
export async function readAudiences(options: AudienceOptions): Promise<void> {
  const { lease, store, session } = options
  if (session.audiences === undefined) return
  const { id: scanId, sourceId } = lease.scan
  const scopes = store.read((reader) => listScopes(reader, scanId))
  const linked: StoredAudience[] = []
  for (const scope of scopes.filter(({ state }) => state === 'COMPLETE' || state === 'PARTIAL')) {
    const assets = store.read((reader) => listAudiences(reader, sourceId, scope.key))
    const found = await ask(scope, assets, options)
    await save(options, assets, (asset) => {
      const audience = found.get(asset.key) ?? found.get(asset.parentKey ?? '')
      if (audience === undefined && asset.parentKey === null) linked.push(asset)
      return audience ?? unknown
    })
  }
  await save(options, linked, (asset) => toWidest(store.read((reader) => listLinkingAudiences(reader, asset))))
}

async function ask(
  scope: ScopeRecord,
  assets: readonly StoredAudience[],
  { lease, session, log }: AudienceOptions,
): Promise<ReadonlyMap<string, Audience>> {
  if (session.audiences === undefined) return new Map()
  const keys = assets.map(({ key }) => key)
  try {
    return await whileLeased(lease, session.audiences(scope, keys))
  } catch (error) {
    if (error instanceof LeaseStopped || endsScan(error)) throw error
    log.warn('the audience of a scope could not be read', { scope: scope.key, error })
    return new Map()
  }
}

async function save(
  { lease, store, now }: AudienceOptions,
  assets: readonly StoredAudience[],
  audienceOf: (asset: StoredAudience) => Audience,
): Promise<void> {
  for (let at = 0; at < assets.length; at += CHUNK) {
    const found = assets.slice(at, at + CHUNK).map((asset) => ({ asset, audience: audienceOf(asset) }))
    lease.write((writer) => {
      for (const { asset, audience } of found) saveAudience(writer, asset, audience, now())
    })
    await store.yieldBetweenBatches(lease.signal)
  }
}
