import type { UnlistedScopeStatus } from '../connectors/connector.ts'
import { reasonOf } from '../connectors/failure.ts'
import type { SafeSession } from '../connectors/safe-session.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { AppError } from '../kernel/errors.ts'
import type { Store } from '../store/store.ts'
import { type ScanLease, whileLeased } from './lease.ts'
import { listLeftScopes } from './missing-assets.ts'

interface Listing {
  lease: ScanLease
  store: Store
}

/**
 * Lists the scopes to scan. Finding none is an error, unless earlier scans listed scopes and either the configuration
 * selects scopes by name or the platform states what became of all of them.
 */
export async function listScopesToScan(session: SafeSession, listing: Listing): ReturnType<SafeSession['scopes']> {
  try {
    return await whileLeased(listing.lease, session.scopes())
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = reasonOf(error)
    const isNamed = reason === 'scope_unmatched'
    if (!isNamed && reason !== 'nothing_visible') throw error
    const left = await findLeftScopes(session, listing)
    if (left.size === 0 || (!isNamed && [...left.values()].includes('unknown'))) throw error
    const message = toSafeText(error.message, 'prose')
    return { scopes: [], warnings: [{ code: toSafeText(reason, 'prose'), message }] }
  }
}

/** Scopes that are no longer listed, with what the platform reports about them. */
export async function findLeftScopes(
  session: SafeSession,
  { lease, store }: Listing,
): Promise<Map<string, UnlistedScopeStatus | 'unknown'>> {
  const keys = store.read((reader) => listLeftScopes(reader, lease))
  if (keys.length === 0) return new Map()
  const none: ReadonlyMap<string, UnlistedScopeStatus> = new Map()
  const found = await whileLeased(lease, session.findLeft?.(keys) ?? Promise.resolve(none))
  return new Map(keys.map((key) => [key, found.get(key) ?? 'unknown']))
}
