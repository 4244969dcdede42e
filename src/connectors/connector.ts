import type { z } from 'zod'
import type { AssayDocument } from '../documents/document.ts'
import type { UnreadReason, UnreadSection } from '../documents/section.ts'
import type { Log } from '../runtime/log.ts'
import type { Upstream } from './http/upstream.ts'

export const assetKinds = [
  'wiki.space',
  'wiki.page',
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
  /** A page to the page or space above it; the other way round than `parent_of`. */
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
  /** A hyperlink that leads out of the platform, or a reference that nothing in the platform answers to. */
  'links_to',
] as const
export type LinkType = (typeof linkTypes)[number]

/** A typed edge to another asset, known by its key, or to an address or name that may resolve later. */
export interface LinkDraft {
  type: LinkType
  targetKey?: string
  /** The address or reference as written by the author; shown to people, so never with credentials in it. */
  url?: string
  label?: string
  /** Path of the part that holds the link. */
  path?: string
  /** The section of the item that holds the link; see `UnreadSection`. */
  section?: string
  /** 1-based place in the source, where known. */
  line?: number
  column?: number
  /** What a reference by name needs to be resolved against other assets. */
  reference?: { space?: string; title?: string; id?: string; filename?: string; anchor?: string }
}

/**
 * Assets that were not listed, although they may be there: of these kinds, through one asset or in a whole scope. What
 * is known of them stays as it is.
 */
export interface Unlisted {
  kinds: readonly AssetKind[]
  /** `unchanged`: the asset that they are known from is as it was, and so are they. */
  reason: UnreadReason | 'unchanged'
  /** What the platform said, in one word. */
  detail?: string
}

/** An asset as a connector reports it; the store decides what of it is new. */
export interface AssetDraft {
  /** Made of the platform's own ids, never of names or addresses: `wiki:{cloudId}:page:{id}`. */
  key: string
  kind: AssetKind
  name: string
  url: string
  /** Name of the space or workspace. */
  container?: string
  owner?: string
  /** sha256 hex over everything that matters and nothing volatile. */
  checksum: string
  links: readonly LinkDraft[]
  /**
   * Sections that were not read. Every part and link of the document that is not of the item's own listing names its
   * section; what was found in these ones before stays as it is, everything else is judged by the document.
   */
  unread?: readonly UnreadSection[]
  /** Assets that are listed through this one, by a link of either, and were not listed this time. */
  unlisted?: readonly Unlisted[]
  /** Key of the asset that it is a part of where an option does not make it one of its own: decisions go along. */
  partOf?: string
  /**
   * Kinds of assets that are parts of this one now, as the other way round; their sections have the same names. One in
   * which something was found that is not read here stays.
   */
  absorbs?: readonly AssetKind[]
  /** Nothing shows that it is there: it counts only where it was known before. */
  isUncertain?: boolean
  /** Milliseconds since the epoch, from the platform; absent when it does not say. */
  contentCreatedAt?: number
  contentUpdatedAt?: number
  /**
   * Small facts that detectors and people use: labels, version, content status, schema status. Plain JSON, at most 8
   * KiB.
   */
  facts?: Record<string, unknown>
  /**
   * The text. A function is called once, only when the asset must be detected again; undefined: nothing to read
   * (a container, an unsupported type). A failed download rejects with AppError and costs this asset only.
   */
  document?: () => Promise<AssayDocument>
  /** What of it is known without reading it, such as a file's name; looked at when `document` rejects. */
  outline?: AssayDocument
}

export interface ScanWarning {
  /** snake_case, closed per connector: `scope_unmatched`, `body_unavailable`, `download_failed`, … */
  code: string
  message: string
  scope?: string
  assetKey?: string
  /** True: the listing of the whole scope has gaps, so nothing that is missing from it is gone. */
  incomplete?: boolean
}

/** A space or a workspace: the unit that is complete, partial or failed on its own. */
export interface CrawlScope {
  key: string
  name: string
}

/** What a scan read of an asset or of a whole scope, and when. */
export interface ReadingRecord {
  /** What the platform told of it then, as the connector put it: where that differs, it is to be read again. */
  mark: string
  /** Start of the scan that read all of it. */
  readAt: number
  /** Start of the newest scan that read it or found it as it was. */
  checkedAt: number
  /** What is stored of it is all there, was looked at by the present detectors, and lacks nothing that was read before. */
  isWhole: boolean
}

export interface ReadingUpdate {
  /** Key of an asset or of a scope. */
  key: string
  mark: string
  /** False: it was found as it was, and not read. */
  isRead: boolean
}

/** One listing page worth of assets; its findings, its assets and `cursor` are stored in one transaction. */
export interface Batch {
  assets: readonly AssetDraft[]
  /** Handed back to `crawl` to go on after this batch; null after the last one. Opaque, at most 4 KiB. */
  cursor: string | null
  warnings: readonly ScanWarning[]
  /** Assets that are not listed in this scope. Refused or failed, the scan is not complete. */
  unlisted?: readonly Unlisted[]
  /** Keys of assets that are as they were, with the assets that are listed through them. */
  unchanged?: readonly string[]
  /** Keys of assets of which nothing shows whether they are as they were: they stay as they are known, unread. */
  deferred?: readonly string[]
  /** Kept with the batch. */
  readings?: readonly ReadingUpdate[]
}

export interface CrawlRequest {
  scope: CrawlScope
  /** Where an interrupted crawl of this scope goes on; undefined: from the start. */
  cursor?: string
  /** Checksums stored for these keys, where the asset was detected with the present detectors; others are absent. */
  known: (keys: readonly string[]) => ReadonlyMap<string, string>
  /** What earlier scans have read of these assets and scopes. Absent: everything is to be read. */
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
  /** What a person can do about it. */
  hint?: string
}

/**
 * A scope that is not listed any more: `gone` from the platform, `hidden` from the account, or `left_out` because it no
 * longer fits the scope options.
 */
export type LeftScope = 'gone' | 'hidden' | 'left_out'

export interface ConnectorSession {
  /**
   * The scopes to scan, by the source's scope options. Throws AppError when sign-in fails and where there are none:
   * with reason `scope_unmatched` when they were asked for by name, `nothing_visible` otherwise.
   */
  scopes(): Promise<{ scopes: CrawlScope[]; warnings: ScanWarning[] }>
  /**
   * The assets of one scope, batch by batch. Throws AppError when the scope cannot be listed to its end; what was
   * yielded before stands. `reason` `auth_failed` or `auth_expired` ends the whole scan, `retry_later` (with
   * `retryAfterSeconds`) parks it, all others fail this scope only.
   */
  crawl(request: CrawlRequest): AsyncIterable<Batch>
  /**
   * What became of scopes that were listed before and are not any more; nothing is known of those that are left out.
   */
  findLeft?(scopeKeys: readonly string[]): Promise<ReadonlyMap<string, LeftScope>>
  /** Named steps for `test_source`; never throws, writes nothing. */
  test(): Promise<TestStep[]>
  close(): Promise<void>
}

/** What a connector has begun for one scan, kept while the scan is interrupted. */
export interface SessionCheckpoint {
  read(): string | undefined
  write(text: string): void
}

export interface SessionOptions<Config> {
  config: Config
  sampling: Sampling
  signal: AbortSignal
  log: Log
  now: () => number
  /** Stable id of the tenant once it is known, so that keys do not change; set by the first scan, then stored. */
  tenantId?: string
  rememberTenantId: (tenantId: string) => void
  /** Told how requests to the tenant went. */
  watch?: Upstream | undefined
  /** Absent where nothing is ever resumed. */
  notebook?: SessionCheckpoint
}

/** What a source type must declare; the rest of the house never asks which one it has. */
export interface Connector<Config = unknown> {
  type: string
  title: string
  /** The whole payload but for `sampling`, `schedule` and `detectors`; `masked` members hold plain secrets. */
  payload: z.ZodType<Config>
  /** Names accepted as `sampling.order_by_column`, camelCase; snake_case is the same. */
  orderByColumns: readonly string[]
  defaultDetectors: readonly string[]
  /**
   * What this configuration leaves out: that something of it is not known proves nothing. `scopes`: not every space or
   * workspace of the tenant is listed. Absent: nothing is sure.
   */
  leavesOut?(config: Config): { kinds: readonly AssetKind[]; scopes: boolean }
  /** The origins that a credential of this configuration is sent to: a change needs the credential again. */
  credentialOrigins(config: Config): string[]
  /** Another text where another tenant may be meant: its id is then learnt anew. Absent: the credential's origins. */
  tenantAddress?(config: Config): string
  open(options: SessionOptions<Config>): ConnectorSession
}
