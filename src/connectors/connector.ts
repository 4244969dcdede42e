import type { z } from 'zod'
import type { AssayDocument } from '../documents/document.ts'
import type { UnreadReason, UnreadSection } from '../documents/section.ts'
import type { Log } from '../runtime/log.ts'
import type { Audience } from './audience.ts'
import type { Upstream } from './http/upstream.ts'

export const assetKinds = [
  'wiki.space',
  'wiki.page',
  'wiki.blogpost',
  'wiki.comments',
  'wiki.attachment',
  'wiki.linked_file',
  'bi.workspace',
  'bi.dataset',
  'bi.table',
  'bi.report',
  'bi.dashboard',
] as const
export type AssetKind = (typeof assetKinds)[number]

export const linkTypes = [
  'contains',
  'parent_of',
  /** From a page to its parent page or space; the inverse of `parent_of`. */
  'child_of',
  'references',
  'attached_to',
  'comments_on',
  'uses_dataset',
  'tile_from_report',
  'tile_from_dataset',
  'upstream_dataset',
  'upstream_dataflow',
  'reads_from',
  /** A hyperlink to a target outside the platform, or a reference that matches nothing in the platform. */
  'links_to',
] as const
export type LinkType = (typeof linkTypes)[number]

/** A typed edge to another asset by key, or to a URL or name that may be resolved later. */
export interface LinkDraft {
  type: LinkType
  targetKey?: string
  /** The URL or reference as the author wrote it. */
  url?: string
  label?: string
  /** Path of the part that holds the link. */
  path?: string
  /** The section of the item that holds the link; see `UnreadSection`. */
  section?: string
  /** 1-based position in the source, where known. */
  line?: number
  column?: number
  /** Data needed to resolve a reference by name to another asset. */
  reference?: { space?: string; title?: string; id?: string; filename?: string; anchor?: string }
}

/**
 * Kinds of assets that were not listed, for one asset or a whole scope, although they may exist. Stored assets of these
 * kinds keep their state.
 */
export interface Unlisted {
  kinds: readonly AssetKind[]
  /** `unchanged`: the asset that they are listed through is unchanged, so they are unchanged too. */
  reason: UnreadReason | 'unchanged'
  /** What the platform reported, in one word. */
  detail?: string
}

/** An asset as a connector reports it; the store determines what has changed. */
export interface AssetDraft {
  /** Built from the platform's own ids, never from names or URLs: `wiki:{cloudId}:page:{id}`. */
  key: string
  kind: AssetKind
  name: string
  url: string
  /** Name of the space or workspace, or of the dataset where datasets are containers. */
  container?: string
  /** Name of the BI dataset that it is or lies in, where datasets are containers. */
  dataset?: string
  /** Name of the container that contains its container. */
  parentContainer?: string
  owner?: string
  /** Default: current. */
  presence?: 'current' | 'archived'
  /** SHA-256 in hex over all relevant content and nothing volatile. */
  checksum: string
  links: readonly LinkDraft[]
  /**
   * Sections that were not read. Every part and link outside the item's own listing entry names its section. Existing
   * findings in unread sections keep their state; all others are resolved unless the document still contains them.
   */
  unread?: readonly UnreadSection[]
  /** Assets that are listed through this one (by a link from either side) but were not listed this time. */
  unlisted?: readonly Unlisted[]
  /**
   * Key of the asset that contains this one when an option stops it from being a separate asset; decisions carry over.
   */
  partOf?: string
  /**
   * Kinds of assets that are now parts of this one, the inverse of `partOf`; section names are the same. An absorbed
   * asset is kept while it has findings in a section that was not read here.
   */
  absorbs?: readonly AssetKind[]
  /** There is no evidence that the asset exists: it is ignored unless it is already stored as active. */
  isUncertain?: boolean
  /** Milliseconds since the epoch, from the platform; absent where it reports none. */
  contentCreatedAt?: number
  contentUpdatedAt?: number
  /**
   * Small facts for detectors and display: labels, version, content status, schema status. Plain JSON, at most 8 KiB.
   */
  facts?: Record<string, unknown>
  /**
   * The text. Called once, and only where detectors must run again; undefined where there is no text (a container, an
   * unsupported type). A failed download rejects with AppError and affects this asset only.
   */
  document?: () => Promise<AssayDocument>
  /** What is known without reading the content, such as a file's name; used when `document` rejects. */
  outline?: AssayDocument
}

export interface ScanWarning {
  /** snake_case, from a fixed set per connector: `scope_unmatched`, `body_unavailable`, `download_failed`, … */
  code: string
  message: string
  scope?: string
  assetKey?: string
  /** True: the listing of the scope has gaps, so assets missing from it must not count as deleted. */
  incomplete?: boolean
}

/** A space or workspace: the unit that is complete, partial or failed independently of others. */
export interface CrawlScope {
  key: string
  name: string
}

/** What an earlier scan read of an asset or a whole scope, and when. */
export interface ReadingRecord {
  /**
   * Fingerprint of what the platform reported at that time, made by the connector; if it differs, the content must be
   * read again.
   */
  mark: string
  /** Start of the last scan that read all of it, in milliseconds since the epoch. */
  readAt: number
  /** Start of the last scan that read it or found it unchanged, in milliseconds since the epoch. */
  checkedAt: number
  /**
   * True where everything stored for it is complete, was checked by the current detectors, and includes all that was
   * read earlier.
   */
  isWhole: boolean
}

export interface ReadingUpdate {
  /** Key of an asset or a scope. */
  key: string
  mark: string
  /** False where it was found unchanged and not read. */
  isRead: boolean
}

/** The assets of one listing page; findings, assets and `cursor` are stored in one transaction. */
export interface Batch {
  assets: readonly AssetDraft[]
  /** Passed to `crawl` to continue after this batch; null after the last one. Opaque, at most 4 KiB. */
  cursor: string | null
  warnings: readonly ScanWarning[]
  /** Kinds of assets not listed in this scope. With a reason such as refused or failed, the scan is not complete. */
  unlisted?: readonly Unlisted[]
  /** Keys of unchanged assets; assets listed through them are unchanged too. */
  unchanged?: readonly string[]
  /**
   * Keys of assets that were not read although nothing shows whether they are unchanged: they keep their stored state.
   */
  deferred?: readonly string[]
  /** Stored together with the batch. */
  readings?: readonly ReadingUpdate[]
}

export interface CrawlRequest {
  scope: CrawlScope
  /** Where to resume an interrupted crawl of this scope; undefined: from the start. */
  cursor?: string
  /** Stored checksums of these keys; only for assets that the current detectors have checked. */
  known: (keys: readonly string[]) => ReadonlyMap<string, string>
  /** What earlier scans read of these assets and scopes. Absent: everything must be read. */
  readings?: (keys: readonly string[]) => ReadonlyMap<string, ReadingRecord>
}

export interface Sampling {
  strategy: 'LATEST' | 'RANDOM' | 'ALL'
  limit: number
  orderBy?: string
  /** For RANDOM: recorded with the scan. */
  seed: number
}

export interface TestStep {
  name: string
  status: 'ok' | 'denied' | 'failed' | 'skipped'
  detail?: string
  /** What the user can do about it. */
  hint?: string
}

/**
 * Status of a scope that is no longer listed: `gone` from the platform, `hidden` from the account, or `left_out`
 * because it no longer matches the scope options.
 */
export type UnlistedScopeStatus = 'gone' | 'hidden' | 'left_out'

/** A version of an asset before its present one. */
export interface EarlierVersion {
  version: number
  /** Milliseconds since the epoch. */
  createdAt?: number
  /** Its text, as that of the asset itself; undefined where it is `unread`. */
  document?: AssayDocument
  unread?: UnreadReason
}

export interface VersionRequest {
  /** Versions up to this one were read before. Comments ignore it: each one counts its own versions. */
  known?: number
  /** The most versions to read. */
  limit: number
}

/** What a crawl read and what it could not; `kind` is one of `assetKinds` or a word of the platform. */
export interface SourceCoverage {
  /** `count`: how many exist, where the platform counts those that cannot be read. */
  kinds: { kind: string; read: boolean; count?: number; reason?: string }[]
  refused: { what: string; reason: string }[]
}

/** Where an asset that was not listed is on the platform; `unknown`: it refuses to look it up. */
export type Whereabouts = 'current' | 'archived' | 'trash' | 'unknown'

export interface ConnectorSession {
  /**
   * The scopes to scan, by the source's scope options.
   * @throws AppError when sign-in fails; with reason `scope_unmatched` where scopes were requested by name and none
   * matches, or `nothing_visible` where there are none
   */
  scopes(): Promise<{ scopes: CrawlScope[]; warnings: ScanWarning[] }>
  /**
   * The assets of one scope, batch by batch. Batches yielded before an error remain stored.
   * @throws AppError when the scope cannot be listed completely: reason `auth_failed` or `auth_expired` ends the whole
   * scan, `retry_later` (with `retryAfterSeconds`) parks it, any other fails this scope only
   */
  crawl(request: CrawlRequest): AsyncIterable<Batch>
  /** The status of scopes that are no longer listed; scopes missing from the result have an unknown status. */
  findLeft?(scopeKeys: readonly string[]): Promise<ReadonlyMap<string, UnlistedScopeStatus>>
  /**
   * Which of these assets, missing from scopes that were listed completely, exist nevertheless, for example in a scope
   * that is not scanned. Absent: the platform cannot be asked.
   */
  findExisting?(assetKeys: readonly string[]): Promise<ReadonlySet<string>>
  /**
   * Where these assets are; those missing from the result are nowhere that the account can see, unless with the item that
   * they belong to.
   */
  locate?(assetKeys: readonly string[]): Promise<ReadonlyMap<string, Whereabouts>>
  /**
   * The earlier versions of an asset, newest first, without deleted ones; of comments, those of comments that still exist.
   * @throws AppError reason `forbidden` where the account can see the asset but not its versions, `gone` where it sees
   * neither
   */
  earlierVersions?(assetKey: string, request: VersionRequest): AsyncIterable<EarlierVersion>
  /**
   * Who can read these assets of a scope. One that is missing from the result has the audience of what it belongs to; one
   * that is nowhere is `unknown`, as is everything that the account may not ask for.
   */
  audiences?(scope: CrawlScope, assetKeys: readonly string[]): Promise<ReadonlyMap<string, Audience>>
  /** What this session has read and what it could not. */
  coverage?(): SourceCoverage
  /** Steps of the connection test for `test_source`; never throws, writes nothing. */
  test(): Promise<TestStep[]>
  close(): Promise<void>
}

export interface SessionOptions<Config> {
  config: Config
  sampling: Sampling
  signal: AbortSignal
  log: Log
  now: () => number
  /** Stable id of the tenant, so that asset keys do not change; determined by the first scan, then stored. */
  tenantId?: string
  rememberTenantId: (tenantId: string) => void
  /** Receives the outcome of requests to the tenant. */
  watch?: Upstream | undefined
}

/** What a source type must declare; no other code depends on which type a source has. */
export interface Connector<Config = unknown> {
  type: string
  title: string
  /** The whole payload except `sampling`, `schedule` and `detectors`; `masked` members hold secrets in plain text. */
  payload: z.ZodType<Config>
  /** The payload for JSON Schema, where `payload` has checks that a schema does not show. */
  publishedPayload?: z.ZodType
  /** Values accepted for `sampling.order_by_column`, in camelCase; snake_case is equivalent. */
  orderByColumns: readonly string[]
  defaultDetectors: readonly string[]
  /**
   * What this configuration excludes, so that its absence from the store proves nothing. `scopes`: not every space or
   * workspace of the tenant is listed. Absent: nothing is certain.
   */
  leavesOut?(config: Config): { kinds: readonly AssetKind[]; scopes: boolean }
  /** The settings that choose the scopes to scan, as opposed to what is read of them. */
  scopeSettings(config: Config): unknown
  /**
   * Origins that receive the credential of this configuration; if they change, the credential must be entered again.
   */
  credentialOrigins(config: Config): string[]
  /**
   * A string that changes when the configuration may refer to another tenant, whose id must then be determined again.
   * Default: the credential's origins.
   */
  tenantAddress?(config: Config): string
  open(options: SessionOptions<Config>): ConnectorSession
}
