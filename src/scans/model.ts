import { z } from 'zod'
import { toInstant } from '../kernel/instant.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { keyText, outsideText, ownText } from '../operation/lockdown/disclosure.ts'

export const scanStatuses = ['QUEUED', 'RUNNING', 'COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'] as const
export type ScanStatus = (typeof scanStatuses)[number]
export const scopeStates = ['PENDING', 'RUNNING', 'COMPLETE', 'PARTIAL', 'FAILED'] as const
export type ScopeState = (typeof scopeStates)[number]
export const triggers = ['MANUAL', 'SCHEDULE', 'IMPORT', 'RESUME'] as const
export type Trigger = (typeof triggers)[number]

const instant = ownText().describe('ISO 8601 UTC timestamp.')
const count = (description: string) => z.number().describe(description)

export const ScanProgress = z.object({
  discovered: count('Assets that were listed.'),
  scanned: count('Assets that were read.'),
  unchanged: count('Assets that are unchanged since the same detectors read them.'),
  findings: z
    .object({
      new: count('New findings.'),
      again: count('Known findings that were found again.'),
      resolved: count('Findings that were resolved.'),
    })
    .describe('Findings by outcome.'),
})
export type ScanProgress = z.infer<typeof ScanProgress>

export const ScanNote = z.object({
  code: ownText().describe('Code of the note.'),
  message: outsideText().describe('Explanation.'),
  scope: keyText().describe('Key of the space or workspace.').optional(),
  assetKey: keyText().describe('Key of the asset.').optional(),
})
export type ScanNote = z.infer<typeof ScanNote>

/** A note before it is stored; storing it sanitizes its texts. */
export interface ScanNoteDraft {
  code: string
  message: string
  scope?: string | undefined
  assetKey?: string | undefined
}

export const ScanScopeView = z.object({
  key: keyText().describe('Key of the space or workspace.'),
  name: outsideText().describe('Its name.'),
  state: z.enum(scopeStates).describe('State of the scope.'),
  discovered: count('Assets that were listed.'),
  scanned: count('Assets that were read.'),
  unchanged: count('Unchanged assets.'),
  reason: ownText().describe('Why it is not complete.').optional(),
})

/** A scan as shown in lists. */
export const ScanItem = z.object({
  id: ownText().describe('Id of the scan.'),
  source: z
    .object({ id: ownText().describe('Id of the source.'), name: ownText().describe('Name of the source.') })
    .describe('What is scanned.'),
  status: z.enum(scanStatuses).describe('State of the scan.'),
  trigger: z.enum(triggers).describe('What started it.'),
  requestedBy: ownText().describe('Who started it.'),
  createdAt: instant,
  startedAt: instant.optional(),
  finishedAt: instant.optional(),
  reason: ownText().describe('Why it is not complete, such as mass_vanishing.').optional(),
  retryAt: instant.describe('When it resumes by itself.').optional(),
  sampled: z.boolean().describe('True: a sample was scanned, so missing findings are not resolved.'),
  seed: z.number().describe('Seed of the random sample.').optional(),
  progress: ScanProgress.describe('Counts so far.'),
})
export type ScanItem = z.infer<typeof ScanItem>

export const Scan = ScanItem.extend({
  scopes: z.array(ScanScopeView).describe('Spaces or workspaces.'),
  failures: z.array(ScanNote).describe('What could not be read; at most 200.'),
  warnings: z.array(ScanNote).describe('Warnings; at most 200.'),
})
export type Scan = z.infer<typeof Scan>

/** A stored scan; times in milliseconds. */
export interface ScanRecord {
  id: number
  uid: string
  sourceId: number
  sourceUid: string
  sourceName: string
  status: ScanStatus
  trigger: Trigger
  requestedBy: string
  configHash: string
  /** Hash of the settings that select the scopes. */
  scopeHash: string | null
  detectorsHash: string
  seed: number
  sampled: boolean
  owner: string | null
  token: number
  heartbeatAt: number | null
  cancelRequested: boolean
  createdAt: number
  startedAt: number | null
  finishedAt: number | null
  reason: string | null
  retryAt: number | null
  progress: ScanProgress
  failures: ScanNote[]
  warnings: ScanNote[]
}

export interface ScopeRecord {
  key: SafeText
  name: SafeText
  state: ScopeState
  cursor: SafeText | null
  discovered: number
  scanned: number
  unchanged: number
  reason: SafeText | null
}

export function toScanItem(scan: ScanRecord): ScanItem {
  return {
    id: scan.uid,
    source: { id: scan.sourceUid, name: scan.sourceName },
    status: scan.status,
    trigger: scan.trigger,
    requestedBy: scan.requestedBy,
    createdAt: toInstant(scan.createdAt),
    ...(scan.startedAt === null ? {} : { startedAt: toInstant(scan.startedAt) }),
    ...(scan.finishedAt === null ? {} : { finishedAt: toInstant(scan.finishedAt) }),
    ...(scan.reason === null ? {} : { reason: scan.reason }),
    ...(scan.retryAt === null ? {} : { retryAt: toInstant(scan.retryAt) }),
    sampled: scan.sampled,
    ...(scan.sampled ? { seed: scan.seed } : {}),
    progress: scan.progress,
  }
}

export function toScan(scan: ScanRecord, scopes: readonly ScopeRecord[]): Scan {
  return {
    ...toScanItem(scan),
    scopes: scopes.map(({ cursor: _, reason, ...scope }) => ({ ...scope, ...(reason === null ? {} : { reason }) })),
    failures: scan.failures,
    warnings: scan.warnings,
  }
}
