import { z } from 'zod'
import { outsideText, ownText } from '../operation/lockdown/disclosure.ts'

const instant = z.string().describe('ISO 8601 UTC timestamp.')

export const SourceName = z
  .string()
  .trim()
  .min(1, 'must not be empty.')
  .max(100)
  .describe('Name of the source; unique, whatever the case.')

/** A source by id or by name, as in paths and commands. */
export const SourceRef = z.string().min(1).max(200).describe('Id or name of the source.')

export const Source = z.object({
  id: z.string().describe('Id of the source.'),
  name: z.string().describe('Name of the source.'),
  type: z.string().describe('WIKI, BI_PLATFORM, or IMPORT for what other scanners found.'),
  config: z.record(z.string(), z.unknown()).describe('The payload; secrets are shown as ********.'),
  createdAt: instant,
  updatedAt: instant,
  nextRunAt: instant.describe('When its schedule starts the next scan.').optional(),
  lastCompletedScanAt: instant.describe('When a scan of it last completed.').optional(),
  counts: z
    .object({
      assets: z.number().describe('Assets that are there.'),
      findings: z.number().describe('Findings of every status.'),
      openFindings: z.number().describe('Findings that are open.'),
    })
    .describe('What is kept of it.'),
})
export type Source = z.infer<typeof Source>

export const TestStep = z.object({
  name: ownText().describe('What was tried.'),
  status: z.enum(['ok', 'denied', 'failed', 'skipped']).describe('How it went.'),
  detail: outsideText().describe('What was found.').optional(),
  hint: outsideText().describe('What a person can do about it.').optional(),
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
  /** Sealed secrets by their names in `masked`. */
  secrets: Record<string, string>
  tenantId: string | null
  lastCompletedScanAt: number | null
  nextRunAt: number | null
  createdAt: number
  updatedAt: number
}
