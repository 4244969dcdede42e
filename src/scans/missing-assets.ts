import { assetKinds, type UnlistedScopeStatus, type Whereabouts } from '../connectors/connector.ts'
import type { SafeSession } from '../connectors/safe-session.ts'
import { type Remains, resolveFindingsOf, staysWhileReadable } from '../findings/detected.ts'
import { listTrashed } from '../findings/earlier-versions.store.ts'
import type { FindingRecord } from '../findings/finding-record.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import {
  countActive,
  forgetDetection,
  listAssetScopes,
  listMissing,
  type MissingAsset,
  markDeleted,
  markMissed,
} from '../findings/missing-assets.store.ts'
import { markUnchangedDependants, markUnlisted } from '../findings/unread.store.ts'
import { ownText } from '../kernel/safe-text.ts'
import type { HistoryMode } from '../sources/model.ts'
import type { Reader, Store } from '../store/store.ts'
import { type ScanLease, whileLeased } from './lease.ts'
import { addNotes, addProgress } from './scans.store.ts'
import { findScopeName, listScopes, listWholeScopes, wasListedBefore } from './scopes.store.ts'

const MASS_SHARE = 0.3
const MASS_COUNT = 10
/** Whether so much of a scope is gone at once that it may not have been read as a whole. */
export const isMassVanishing = (vanished: number, total: number): boolean =>
  vanished >= MASS_COUNT && vanished > total * MASS_SHARE

/** Consecutive complete scans from which an asset must be absent to be deleted. */
const ABSENCES = 2
const CHUNK = 100

export interface MissingAssetsOptions {
  lease: ScanLease
  store: Store
  now: () => number
  /** Scopes that were listed before and no longer are, with what is known about them. */
  left: ReadonlyMap<string, UnlistedScopeStatus | 'unknown'>
  session: Pick<SafeSession, 'findExisting' | 'locate'>
  mode: HistoryMode
}

/**
 * Evaluates what a scan did not list in scopes that were listed completely, or that are gone: an asset that is absent
 * for the second time in a row is deleted, and its open findings are resolved, unless the trash has them. Returns true if too many assets were
 * gone at once, so that the next complete scan must confirm it.
 */
export async function resolveMissingAssets(options: MissingAssetsOptions): Promise<boolean> {
  const { lease, store } = options
  if (lease.scan.sampled) return false
  let held = false
  keepHiddenScopes(options)
  await followTrash(options)
  const conclusive = store.read((reader) => listConclusiveScopes(reader, options))
  for (const scopeKey of conclusive) {
    if (options.left.get(scopeKey) !== 'gone') await keepExistingAssets(scopeKey, conclusive, options)
  }
  for (const scopeKey of conclusive) {
    const plan = store.read((reader) => {
      const { id: scanId, sourceId } = lease.scan
      const missing = listMissing(reader, { sourceId, scopeKey, scanId, conclusive })
      return { missing, total: countActive(reader, lease.scan.sourceId, scopeKey) }
    })
    const places = await locate(
      plan.missing.filter(({ hasFindings }) => hasFindings === 1),
      options,
    )
    const vanished = plan.missing.filter(({ missedBefore }) => missedBefore === 0).length
    const hold = isMassVanishing(vanished, plan.total)
    held ||= hold
    // If the platform itself reports that a scope is gone, no second scan is needed.
    const needed = options.left.get(scopeKey) === 'gone' ? 1 : ABSENCES
    if (options.left.has(scopeKey) && plan.missing.length > 0) warnScopeGone(scopeKey, plan.missing, options)
    for (let at = 0; at < plan.missing.length; at += CHUNK) {
      storeAbsence(plan.missing.slice(at, at + CHUNK), { hold, needed, places }, options)
      await store.yieldBetweenBatches(lease.signal)
    }
    if (hold) {
      const message = `${vanished} of ${plan.total} assets disappeared at once and are kept for now; the next complete scan decides.`
      lease.write((writer) =>
        addNotes(writer, lease.scan.id, 'warnings', [{ code: 'mass_vanishing', message, scope: scopeKey }]),
      )
    }
  }
  return held
}

/**
 * Where assets are, as the platform says, or else where what they are attached to is, unless that is listed; empty where
 * it cannot be asked, or the source reads nothing but what is present.
 */
async function locate(
  assets: readonly Pick<MissingAsset, 'key' | 'holderKey'>[],
  { lease, session, mode }: MissingAssetsOptions,
): Promise<ReadonlyMap<string, Whereabouts>> {
  if (mode === 'off' || session.locate === undefined || assets.length === 0) return new Map()
  const keys = new Set(assets.flatMap(({ key, holderKey }) => (holderKey === null ? [key] : [key, holderKey])))
  const located: ReadonlyMap<string, Whereabouts> = await whileLeased(lease, session.locate([...keys]))
  const places = new Map<string, Whereabouts>()
  for (const { key, holderKey } of assets) {
    const holder = holderKey === null ? undefined : located.get(holderKey)
    const place = located.get(key) ?? (holder === 'trash' || holder === 'unknown' ? holder : undefined)
    if (place !== undefined) places.set(key, place)
  }
  const unknown = [...places.values()].filter((place) => place === 'unknown').length
  if (unknown > 0) {
    const message = `The trash was not read for ${noun(unknown, 'asset')}: the platform denies access; findings in it are kept.`
    lease.write((writer) => addNotes(writer, lease.scan.id, 'warnings', [{ code: 'not_read', message }]))
  }
  return places
}

/** Where the findings of an asset are that is not listed; undefined leaves one as it is. */
const whereIn =
  (place: Whereabouts | undefined, isGone: boolean) =>
  ({ facets }: FindingRecord): Remains | undefined => {
    if (place === 'unknown') return 'unknown'
    if (place === 'trash' && staysWhileReadable(facets)) return 'trash'
    return isGone ? 'gone' : undefined
  }

/** Resolves what the trash no longer has of assets that were deleted. */
async function followTrash(options: MissingAssetsOptions): Promise<void> {
  const { lease, store, now, session, mode } = options
  if (mode === 'off' || session.locate === undefined) return
  const { id: scanId, sourceId } = lease.scan
  const trashed = store.read((reader) => listTrashed(reader, sourceId))
  const places = await locate(trashed, options)
  for (let start = 0; start < trashed.length; start += CHUNK) {
    const at = now()
    lease.write((writer) => {
      let resolved = 0
      FindingLedger.keep(writer, at, (ledger) => {
        for (const asset of trashed.slice(start, start + CHUNK)) {
          const place = places.get(asset.key)
          const absence = { asset: { ...asset, sourceId }, scanId, at }
          const whereIs = whereIn(place, place === undefined)
          resolved += resolveFindingsOf(ledger, absence, ownText('no longer in the trash'), whereIs)
        }
      })
      const findings = { new: 0, again: 0, resolved }
      addProgress(writer, scanId, { discovered: 0, scanned: 0, unchanged: 0, findings })
    })
    await store.yieldBetweenBatches(lease.signal)
  }
}

/** Keeps assets that were not listed although they exist, with all that is listed through them. */
async function keepExistingAssets(
  scopeKey: string,
  conclusive: readonly string[],
  { lease, store, now, session }: MissingAssetsOptions,
): Promise<void> {
  const { id: scanId, sourceId } = lease.scan
  const missing = store.read((reader) => listMissing(reader, { sourceId, scopeKey, scanId, conclusive }))
  if (missing.length === 0 || session.findExisting === undefined) return
  const existing = [...(await whileLeased(lease, session.findExisting(missing.map(({ key }) => key))))]
  for (let at = 0; at < existing.length; at += CHUNK) {
    lease.write((writer) => {
      for (const key of existing.slice(at, at + CHUNK)) {
        for (const through of [{ key }, { parentKey: key }]) {
          const dependants = { sourceId, through, kinds: assetKinds, scanId }
          markUnchangedDependants(writer, { ...dependants, at: now(), isChecked: false })
        }
      }
    })
    await store.yieldBetweenBatches(lease.signal)
  }
  if (existing.length === 0) return
  lease.write((writer) => {
    const name = findScopeName(writer, sourceId, scopeKey)
    const message = `${noun(existing.length, 'asset')} of ${name} still exist, but are outside the scope; their findings are kept.`
    addNotes(writer, scanId, 'warnings', [{ code: 'outside_scope', message, scope: scopeKey }])
  })
}

/**
 * Scopes in which every missing asset is gone: those listed completely, and those that are gone or not known any more.
 */
function listConclusiveScopes(reader: Reader, { lease, left }: MissingAssetsOptions): string[] {
  const gone = [...left].filter(([, state]) => state === 'gone' || state === 'unknown').map(([key]) => key)
  return [...listWholeScopes(reader, lease.scan.id), ...gone]
}

/** Scopes with active assets that an earlier scan with the same scope settings listed and this one did not. */
export function listLeftScopes(reader: Reader, { scan }: ScanLease): string[] {
  const known = new Set<string>(listScopes(reader, scan.id).map(({ key }) => key))
  return listAssetScopes(reader, scan.sourceId).filter((key) => !known.has(key) && wasListedBefore(reader, scan, key))
}

const noun = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

/** Keeps the assets of scopes that still exist but are hidden from the account or excluded by the settings. */
function keepHiddenScopes({ lease, left }: MissingAssetsOptions): void {
  for (const [scopeKey, state] of left) {
    if (state !== 'hidden' && state !== 'left_out') continue
    const why =
      state === 'hidden'
        ? 'still exists, but the account is no longer allowed to see it'
        : 'still exists, but is outside the scope of the source now'
    lease.write((writer) => {
      const reason = state === 'hidden' ? 'refused' : 'switched_off'
      const through = { scopeKey }
      const { id: scanId, sourceId } = lease.scan
      markUnlisted(writer, { sourceId, through, kinds: assetKinds, scanId, reason, detail: ownText(`scope_${state}`) })
      const message = `${findScopeName(writer, sourceId, scopeKey)} ${why}; its findings are kept.`
      addNotes(writer, scanId, 'warnings', [{ code: `scope_${state}`, message, scope: scopeKey }])
    })
  }
}

/** Adds a warning that a scope is gone, or will be if the next complete scan confirms it. */
function warnScopeGone(
  scopeKey: string,
  missing: readonly MissingAsset[],
  { lease, left }: MissingAssetsOptions,
): void {
  const isConfirmed = left.get(scopeKey) === 'gone' || missing.every(({ missedBefore }) => missedBefore > 0)
  lease.write((writer) => {
    const name = findScopeName(writer, lease.scan.sourceId, scopeKey)
    const message = isConfirmed
      ? `${name} no longer exists, with ${noun(missing.length, 'asset')}; its findings are resolved.`
      : `${name} is no longer listed; its findings are kept until the next complete scan confirms this.`
    addNotes(writer, lease.scan.id, 'warnings', [{ code: 'scope_gone', message, scope: scopeKey }])
  })
}

function storeAbsence(
  missing: readonly MissingAsset[],
  { hold, needed, places }: { hold: boolean; needed: number; places: ReadonlyMap<string, Whereabouts> },
  { lease, now }: MissingAssetsOptions,
): void {
  const at = now()
  const { id: scanId, sourceId } = lease.scan
  lease.write((writer) => {
    let resolved = 0
    FindingLedger.keep(writer, at, (ledger) => {
      for (const asset of missing) {
        const place = places.get(asset.key)
        const isGone = !hold && place !== 'unknown' && asset.missedBefore + 1 >= needed
        const absence = { asset: { ...asset, sourceId }, scanId, at }
        resolved += resolveFindingsOf(ledger, absence, ownText('asset deleted'), whereIn(place, isGone))
        if (place === 'trash' || place === 'unknown') forgetDetection(writer, asset.id)
        if (place !== 'unknown') markMissed(writer, asset.id, scanId)
        if (isGone) markDeleted(writer, asset.id, at)
      }
    })
    addProgress(writer, scanId, {
      discovered: 0,
      scanned: 0,
      unchanged: 0,
      findings: { new: 0, again: 0, resolved },
    })
  })
}
