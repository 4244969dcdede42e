import { z } from 'zod'
import type { Caller } from '../operation/context.ts'
import type { Log } from '../runtime/log.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store } from '../store/store.ts'

export const toolFormats = ['gitleaks', 'trufflehog', 'semgrep', 'detect-secrets'] as const
export type ToolFormat = (typeof toolFormats)[number]
export const importFormats = ['ndjson', 'sarif', ...toolFormats, 'csv'] as const
export type ImportFormat = (typeof importFormats)[number]

/** What the tool calls the part that it scanned. */
export const ScopeName = z.string().trim().min(1, 'must not be empty.').max(200)

export interface ImportRequest {
  source: string
  /** Recognized by the beginning of the file if absent. */
  format?: ImportFormat | undefined
  /** The file is all that its tool has for its scope: what is no longer in it is resolved. */
  complete?: boolean | undefined
  /** What the tool scanned, where the file does not say. */
  scope?: string | undefined
  /** The members of a line that columns of CSV are, by their names; an empty member: the column is not used. */
  map?: Readonly<Record<string, string>> | undefined
  /** Only say what the import would do. */
  dryRun?: boolean | undefined
  /** Many findings of a complete file, or all, may be missing at once. */
  acceptVanishing?: boolean | undefined
}

export interface ImportContext {
  store: Store
  vault: Vault
  log: Log
  now: () => number
  signal: AbortSignal
  caller: Caller
}

/** What a complete file covers. */
export interface CompleteFile {
  scopes: readonly CompleteScope[]
  /** Whether many of its findings may be missing at once. */
  acceptVanishing: boolean
}

export interface CompleteScope {
  /** Keyed hash of the tool and what its scope is called. */
  scope: number
  /** When its run ended; null where the file does not say. */
  endedAt: number | null
}
