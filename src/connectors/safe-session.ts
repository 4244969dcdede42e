import type { AssetFacts } from '../detectors/detector.ts'
import { toSafeName } from '../detectors/redact-text.ts'
import { ReportedValues } from '../detectors/reported-values.ts'
import {
  MAX_ADDRESS,
  MAX_LINK_LABEL,
  MAX_NAME,
  toSafeAddress,
  toSafeKey,
  toSafeText,
  toSafeValue,
} from '../detectors/safe-text.ts'
import { tokenConfidence } from '../detectors/secrets/guards.ts'
import { AppError } from '../kernel/errors.ts'
import type { Safe, SafeText } from '../kernel/safe-text.ts'
import type { Audience } from './audience.ts'
import type {
  AssetDraft,
  Batch,
  Connector,
  ConnectorSession,
  CrawlRequest,
  CrawlScope,
  EarlierVersion,
  LinkDraft,
  ReadingUpdate,
  ScanWarning,
  SessionOptions,
  SourceCoverage,
  TestStep,
  Unlisted,
  UnlistedScopeStatus,
  VersionRequest,
  Whereabouts,
} from './connector.ts'
import { toAssetFacts } from './facts.ts'

const MAX_SENTENCE = 2000

/**
 * An asset that may be stored and displayed once `hideInAsset` has masked the `values` that were found in it; these and
 * `original`, the unmasked input of detectors, are never stored.
 */
export type SafeAsset = Safe<Omit<AssetDraft, 'document' | 'outline'>> &
  Pick<AssetDraft, 'document' | 'outline'> & { original: AssetFacts; values: ReportedValues }
export type SafeScope = Safe<CrawlScope>
export type SafeWarning = Safe<ScanWarning>
type SafeStep = Safe<TestStep>

export interface SafeBatch {
  assets: readonly SafeAsset[]
  /**
   * Undefined: the cursor contains text that must not be stored, so an interrupted crawl resumes from the previous
   * cursor.
   */
  cursor: SafeText | null | undefined
  warnings: readonly SafeWarning[]
  unlisted?: readonly Safe<Unlisted>[]
  unchanged?: readonly SafeText[]
  deferred?: readonly SafeText[]
  readings?: readonly Safe<ReadingUpdate>[]
}

/**
 * A connector session whose output and errors have passed `toSafeText`, so that no unchecked text of a tenant gets
 * through.
 */
export interface SafeSession {
  scopes(): Promise<{ scopes: SafeScope[]; warnings: SafeWarning[] }>
  crawl(request: CrawlRequest): AsyncIterable<SafeBatch>
  findLeft?(scopeKeys: readonly string[]): Promise<ReadonlyMap<string, UnlistedScopeStatus>>
  findExisting?(assetKeys: readonly string[]): Promise<ReadonlySet<SafeText>>
  locate?(assetKeys: readonly string[]): Promise<ReadonlyMap<SafeText, Whereabouts>>
  audiences?(scope: SafeScope, assetKeys: readonly string[]): Promise<ReadonlyMap<SafeText, Audience>>
  /** The documents are for detectors, and must not be stored. */
  earlierVersions?(assetKey: string, request: VersionRequest): AsyncIterable<EarlierVersion>
  coverage?(): SourceCoverage
  test(): Promise<SafeStep[]>
  close(): Promise<void>
}

type Identify = (canonical: string) => number

export interface SafeSessionOptions extends Omit<SessionOptions<unknown>, 'rememberTenantId'> {
  rememberTenantId: (tenantId: SafeText) => void
}

/**
 * Opens a session behind the gate of `safe-text.ts`. `identify` is a keyed hash that keeps keys distinct where they
 * differ only in masked text.
 */
export function openSafeSession(
  connector: Connector,
  { rememberTenantId, ...options }: SafeSessionOptions,
  identify: Identify,
): SafeSession {
  const session = connector.open({
    ...options,
    rememberTenantId: (id) => rememberTenantId(toSafeText(id, 'key')),
  })
  return guard(session, identify)
}

const platformId = /^(?:[a-z]{0,4}\d+|[\da-f-]{32,64})$/

/**
 * The name at the end of a key if it looks like a token, whether or not a label says so elsewhere: the key is needed
 * before anything is read, and stays the same afterwards.
 */
function listTokens(key: string): string[] {
  const name = key.slice(key.lastIndexOf(':') + 1)
  return !platformId.test(name) && tokenConfidence(name, false) > 0 ? [name] : []
}

function guard(session: ConnectorSession, identify: Identify): SafeSession {
  const findLeft = session.findLeft?.bind(session)
  const findExisting = session.findExisting?.bind(session)
  const locate = session.locate?.bind(session)
  const audiences = session.audiences?.bind(session)
  const earlierVersions = session.earlierVersions?.bind(session)
  const coverage = session.coverage?.bind(session)
  const originals = new Map<string, string>()
  const toKey = (key: string): SafeText => {
    const safe = toSafeKey(key, identify, new ReportedValues(listTokens(key)))
    if (safe !== key) originals.set(safe, key)
    return safe
  }
  const toOriginal = (key: string) => originals.get(key) ?? key
  const withOriginals = <T>(values: ReadonlyMap<string, T>) =>
    new Map([...values].map(([key, value]) => [toOriginal(key), value]))
  const byKey =
    <T>(ask: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>) =>
    async (keys: readonly string[]) => {
      const found = await safely(() => ask(keys.map(toOriginal)))
      return new Map([...found].map(([key, answer]) => [toKey(key), answer]))
    }
  return {
    scopes: () =>
      safely(async () => {
        const { scopes, warnings } = await session.scopes()
        return {
          scopes: scopes.map(({ key, name }) => ({ key: toKey(key), name: toSafeName(name) })),
          warnings: warnings.map((warning) => toSafeWarning(warning, toKey)),
        }
      }),
    async *crawl({ scope, known, readings, ...request }) {
      const batches = session
        .crawl({
          ...request,
          scope: { key: toOriginal(scope.key), name: scope.name },
          known: (keys) => withOriginals(known(keys.map(toKey))),
          ...(readings === undefined ? {} : { readings: (keys) => withOriginals(readings(keys.map(toKey))) }),
        })
        [Symbol.asyncIterator]()
      for await (const batch of safeEach(batches)) yield toSafeBatch(batch, toKey)
    },
    ...(findLeft === undefined ? {} : { findLeft: byKey(findLeft) }),
    ...(findExisting === undefined
      ? {}
      : {
          findExisting: async (keys: readonly string[]) =>
            new Set([...(await safely(() => findExisting(keys.map(toOriginal))))].map(toKey)),
        }),
    ...(locate === undefined ? {} : { locate: byKey(locate) }),
    ...(audiences === undefined
      ? {}
      : {
          audiences: (scope: SafeScope, keys: readonly string[]) =>
            byKey((originals) => audiences({ ...scope, key: toOriginal(scope.key) }, originals))(keys),
        }),
    ...(earlierVersions === undefined
      ? {}
      : {
          earlierVersions: (key: string, request: VersionRequest) =>
            safeEach(earlierVersions(toOriginal(key), request)[Symbol.asyncIterator]()),
        }),
    ...(coverage === undefined ? {} : { coverage }),
    test: async () => (await session.test()).map(toSafeStep),
    close: () => session.close(),
  }
}

function toSafeBatch(batch: Batch, toKey: (key: string) => SafeText): SafeBatch {
  const { assets, cursor, warnings, unlisted, unchanged, deferred, readings } = batch
  const kept = cursor === null ? null : toSafeText(cursor, 'key', MAX_ADDRESS)
  return {
    assets: assets.map((draft) => toSafeAsset(draft, toKey)),
    cursor: kept === cursor ? kept : undefined,
    warnings: warnings.map((warning) => toSafeWarning(warning, toKey)),
    ...(unlisted === undefined ? {} : { unlisted: unlisted.map(toSafeUnlisted) }),
    ...(unchanged === undefined ? {} : { unchanged: unchanged.map(toKey) }),
    ...(deferred === undefined ? {} : { deferred: deferred.map(toKey) }),
    ...(readings === undefined
      ? {}
      : { readings: readings.map((read) => ({ ...read, key: toKey(read.key), mark: toSafeText(read.mark, 'key') })) }),
  }
}

const toSafeUnlisted = ({ detail, ...unlisted }: Unlisted): Safe<Unlisted> => ({
  ...unlisted,
  ...(detail === undefined ? {} : { detail: toSafeText(detail, 'prose') }),
})

function toSafeAsset(draft: AssetDraft, toKey: (key: string) => SafeText): SafeAsset {
  const { container, dataset, parentContainer, owner, document } = draft
  const values = new ReportedValues()
  const toName = (text: string) => toSafeText(text, 'prose', MAX_NAME, values)
  const asset: SafeAsset = {
    values,
    kind: draft.kind,
    key: toKey(draft.key),
    name: toName(draft.name),
    url: toSafeAddress(draft.url, values),
    checksum: toSafeText(draft.checksum, 'key'),
    original: toAssetFacts(draft),
    ...(container === undefined ? {} : { container: toSafeName(container) }),
    ...(dataset === undefined ? {} : { dataset: toSafeName(dataset) }),
    ...(parentContainer === undefined ? {} : { parentContainer: toSafeName(parentContainer) }),
    ...(owner === undefined ? {} : { owner: toName(owner) }),
    ...(draft.presence === undefined ? {} : { presence: draft.presence }),
    ...(draft.isUncertain === undefined ? {} : { isUncertain: draft.isUncertain }),
    ...(draft.partOf === undefined ? {} : { partOf: toKey(draft.partOf) }),
    ...(draft.absorbs === undefined ? {} : { absorbs: draft.absorbs }),
    ...(draft.outline === undefined ? {} : { outline: draft.outline }),
    ...(draft.contentCreatedAt === undefined ? {} : { contentCreatedAt: draft.contentCreatedAt }),
    ...(draft.contentUpdatedAt === undefined ? {} : { contentUpdatedAt: draft.contentUpdatedAt }),
    ...toSafeContent(draft, toKey, values),
  }
  if (document === undefined) return asset
  asset.document = async () => {
    try {
      return await safely(document)
    } finally {
      // Reading the content may have changed these members of the draft.
      Object.assign(asset, toSafeContent(draft, toKey, values))
    }
  }
  return asset
}

function toSafeContent(
  { facts, links, unread, unlisted }: AssetDraft,
  toKey: (key: string) => SafeText,
  values: ReportedValues,
) {
  return {
    links: links.map((link) => toSafeLink(link, toKey, values)),
    ...(unread === undefined ? {} : { unread: toSafeValue(unread, 'key') as Safe<typeof unread> }),
    ...(unlisted === undefined ? {} : { unlisted: unlisted.map(toSafeUnlisted) }),
    ...(facts === undefined ? {} : { facts: toSafeValue(facts, 'prose', values) as Record<string, unknown> }),
  }
}

function toSafeLink(link: LinkDraft, toKey: (key: string) => SafeText, values: ReportedValues): Safe<LinkDraft> {
  const { targetKey, url, label, path, section, reference, ...place } = link
  return {
    ...place,
    ...(targetKey === undefined ? {} : { targetKey: toKey(targetKey) }),
    ...(url === undefined ? {} : { url: toSafeText(url, 'key', MAX_ADDRESS, values) }),
    ...(label === undefined ? {} : { label: toSafeText(label, 'prose', MAX_LINK_LABEL, values) }),
    ...(section === undefined ? {} : { section: toSafeText(section, 'key') }),
    ...(path === undefined ? {} : { path: toSafeText(path, 'prose', MAX_NAME, values) }),
    ...(reference === undefined
      ? {}
      : { reference: toSafeValue(reference, 'prose', values) as Safe<typeof reference> }),
  }
}

/** The asset without values that were reported in it or in `others`, in all texts but its owner and the platform's ids. */
export function hideInAsset(asset: SafeAsset, others: Iterable<string>): SafeAsset {
  const values = new ReportedValues([...asset.values, ...others])
  if (values.size === 0) return asset
  const { container, dataset, parentContainer, facts, url } = asset
  return {
    ...asset,
    name: values.hide(asset.name),
    url: values.hideInAddress(url, findIdEnd(url, new Set(asset.key.split(':')))),
    ...(container === undefined ? {} : { container: values.hide(container) }),
    ...(dataset === undefined ? {} : { dataset: values.hide(dataset) }),
    ...(parentContainer === undefined ? {} : { parentContainer: values.hide(parentContainer) }),
    ...(facts === undefined ? {} : { facts: values.hideIn(facts) }),
    links: asset.links.map((link) => hideInLink(link, values)),
  }
}

function hideInLink(link: Safe<LinkDraft>, values: ReportedValues): Safe<LinkDraft> {
  const { targetKey, type, url, reference, ...texts } = link
  const id = reference?.id
  // A masked address of another site is not opened; one of the platform itself ends after the id.
  const address = url === undefined || id === undefined ? url : values.hideInAddress(url, findIdEnd(url, new Set([id])))
  return {
    ...values.hideIn(texts),
    type,
    ...(targetKey === undefined ? {} : { targetKey }),
    ...(address === undefined ? {} : { url: id === undefined ? values.hide(address) : address }),
    ...(reference === undefined ? {} : { reference: values.hideIn(reference) }),
  }
}

/** Offset in an address after the last of some ids that is a step or parameter of it. */
function findIdEnd(address: string, ids: ReadonlySet<string>): number {
  let end = 0
  for (const { 0: step, index } of address.matchAll(/[^/?#&=]+/g)) if (ids.has(step)) end = index + step.length
  return end
}

function toSafeWarning({ code, message, scope, assetKey, incomplete }: ScanWarning, toKey: (key: string) => SafeText) {
  return {
    code: toSafeText(code, 'prose'),
    message: toSafeText(message, 'prose', MAX_SENTENCE),
    ...(scope === undefined ? {} : { scope: toKey(scope) }),
    ...(assetKey === undefined ? {} : { assetKey: toKey(assetKey) }),
    ...(incomplete === undefined ? {} : { incomplete }),
  }
}

function toSafeStep({ name, status, detail, hint }: TestStep): SafeStep {
  return {
    name: toSafeText(name, 'prose'),
    status,
    ...(detail === undefined ? {} : { detail: toSafeText(detail, 'prose', MAX_SENTENCE) }),
    ...(hint === undefined ? {} : { hint: toSafeText(hint, 'prose', MAX_SENTENCE) }),
  }
}

async function* safeEach<T>(items: AsyncIterator<T>): AsyncGenerator<T> {
  try {
    for (;;) {
      const { done, value } = await safely(() => items.next())
      if (done === true) return
      yield value
    }
  } finally {
    await items.return?.()
  }
}

/** Errors may quote the platform's responses, so their messages pass the gate too. */
async function safely<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const message = toSafeText(error.message, 'prose', MAX_SENTENCE)
    throw message === error.message ? error : new AppError(error.code, message, { ...error.facts, cause: error.cause })
  }
}
