import { z } from 'zod'
import { outsideText, ownText } from '../operation/lockdown/disclosure.ts'

const instant = z.string().describe('ISO 8601 UTC timestamp.')

export const SourceName = z
  .string()
  .trim()
  .min(1, 'must not be empty.')
  .max(100)
  .describe('Unique name, case-insensitive.')

/** A source by id or by name, as in paths and commands. */
export const SourceRef = z.string().min(1).max(200).describe('Id or name of the source.')

/** Which earlier versions of its items a source reads. */
export const historyModes = ['off', 'vanished', 'all'] as const
export type HistoryMode = (typeof historyModes)[number]
export const HistoryModeInput = z.enum(historyModes).describe('Earlier versions to read.')

export const CoverageView = z.object({
  at: instant,
  kinds: z
    .array(
      z.object({
        kind: z.string().describe('Kind of asset or content.'),
        read: z.boolean().describe('Whether it was read.'),
        count: z.number().describe('How many there are, where known.').optional(),
        reason: z.string().describe('Why it was not read.').optional(),
      }),
    )
    .describe('What exists.'),
  refused: z
    .array(z.object({ what: z.string().describe('What.'), reason: z.string().describe('Why.') }))
    .describe('What the platform refused.'),
})
export type CoverageView = z.infer<typeof CoverageView>

export const Source = z.object({
  id: z.string().describe('Id of the source.'),
  name: z.string().describe('Name of the source.'),
  type: z.string().describe('WIKI, BI_PLATFORM, or IMPORT for findings of other scanners.'),
  config: z.record(z.string(), z.unknown()).describe('The payload; secrets are shown as ********.'),
  history: z
    .enum(historyModes)
    .describe('Earlier versions that scans read: off, of vanished findings, all.')
    .optional(),
  coverage: CoverageView.describe('What its last scan read, and what it could not.').optional(),
  createdAt: instant,
  updatedAt: instant,
  nextRunAt: instant.describe('When its schedule starts the next scan.').optional(),
  lastCompletedScanAt: instant.describe('When its last complete scan ended.').optional(),
  counts: z
    .object({
      assets: z.number().describe('Active assets.'),
      findings: z.number().describe('Findings of every status.'),
      openFindings: z.number().describe('Findings that are open.'),
    })
    .describe('Counts of stored data.'),
})
export type Source = z.infer<typeof Source>

export const SourceWarning = z.object({
  code: z.enum(['detectors_left_out', 'not_run', 'coerced', 'same_tenant']).describe('Kind of warning.'),
  message: z.string().describe('What does not happen, or was assumed.'),
})
export type SourceWarning = z.infer<typeof SourceWarning>

export const TestStep = z.object({
  name: ownText().describe('The step.'),
  status: z.enum(['ok', 'denied', 'failed', 'skipped']).describe('Result of the step.'),
  detail: outsideText().describe('Details of the result.').optional(),
  hint: outsideText().describe('How to fix it.').optional(),
})

/** The type of sources into which findings are imported. */
export const IMPORT_TYPE = 'IMPORT'

/** A stored source; times in milliseconds. */
export interface SourceRecord {
  id: number
  uid: string
  name: string
  type: string
  /** The payload without secrets. */
  config: Record<string, unknown>
  history: HistoryMode
  coverage: CoverageView | undefined
  /** Sealed secrets by their names in `masked`. */
  secrets: Record<string, string>
  tenantId: string | null
  lastCompletedScanAt: number | null
  nextRunAt: number | null
  createdAt: number
  updatedAt: number
}
