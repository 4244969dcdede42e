import type { z } from 'zod'
import type { AssayDocument } from '../documents/document.ts'
import type { Log } from '../kernel/log.ts'
import type { Upstream } from './upstream.ts'

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
  /** 1-based place in the source, where known. */
  line?: number
  column?: number
  /** What a reference by name needs to be resolved against other assets. */
  reference?: { space?: string; title?: string; id?: string; filename?: string; anchor?: string }
}

/** An asset as a connector reports it; the store decides what of it is new. */
export interface AssetDraft {
  /** Made of the platform's own ids, never of names or addresses: `wiki:{cloudId}:page:{id}`. */
  key: string
  kind: (typeof assetKinds)[number]
  name: string
  url: string
  /** Name of the space or workspace. */
  container?: string
  owner?: string
  /** sha256 hex over everything that matters and nothing volatile. */
  checksum: string
  links: readonly LinkDraft[]
  /**
   * Where this asset is unchanged, assets that its stored `links_to` links name by key are still there, although they
   * are not reported again: they are known from its content only, which was not read.
   */
  keepsLinked?: boolean
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
}

export interface ScanWarning {
  /** snake_case, closed per connector: `scope_unmatched`, `body_unavailable`, `download_failed`, … */
  code: string
  message: string
  scope?: string
  /** What hangs on this asset may be missing from the listing; its absence then counts for nothing. */
  assetKey?: string
  /** True: the listing of the whole scope has gaps, so nothing that is missing from it is gone. */
  incomplete?: boolean
}

/** A space or a workspace: the unit that is complete, partial or failed on its own. */
export interface Scope {
  key: string
  name: string
}

/** One listing page worth of assets; its findings, its assets and `cursor` are stored in one transaction. */
export interface Batch {
  assets: readonly AssetDraft[]
  /** Handed back to `crawl` to go on after this batch; null after the last one. Opaque, at most 4 KiB. */
  cursor: string | null
  warnings: readonly ScanWarning[]
}

export interface CrawlRequest {
  scope: Scope
  /** Where an interrupted crawl of this scope goes on; undefined: from the start. */
  cursor?: string
  /** Checksums stored for these keys, where the asset was detected with the present detectors; others are absent. */
  known: (keys: readonly string[]) => ReadonlyMap<string, string>
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

export interface ConnectorSession {
  /** The scopes to scan, by the source's scope options; throws AppError when sign-in fails or when none matched. */
  scopes(): Promise<{ scopes: Scope[]; warnings: ScanWarning[] }>
  /**
   * The assets of one scope, batch by batch. Throws AppError when the scope cannot be listed to its end; what was
   * yielded before stands. `reason` `auth_failed` or `auth_expired` ends the whole scan, `retry_later` (with
   * `retryAfterSeconds`) parks it, all others fail this scope only.
   */
  crawl(request: CrawlRequest): AsyncIterable<Batch>
  /** Named steps for `test_source`; never throws, writes nothing. */
  test(): Promise<TestStep[]>
  close(): Promise<void>
}

/** What a connector has begun for one scan, kept while the scan is interrupted. */
export interface Notebook {
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
  notebook?: Notebook
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
  leavesOut?(config: Config): { kinds: readonly (typeof assetKinds)[number][]; scopes: boolean }
  /** The origins that a credential of this configuration is sent to: a change needs the credential again. */
  credentialOrigins(config: Config): string[]
  /** Another text where another tenant may be meant: its id is then learnt anew. Absent: the credential's origins. */
  tenantAddress?(config: Config): string
  open(options: SessionOptions<Config>): ConnectorSession
}
