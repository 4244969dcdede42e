import { hash } from 'node:crypto'
import { z } from 'zod'
import type { SessionCheckpoint } from '../connector.ts'

/** Records the metadata scans that were started, by the workspaces they cover. */
export interface ScanLedger {
  find(workspaceIds: readonly string[]): string | undefined
  add(workspaceIds: readonly string[], scanId: string): void
}

export const scanIdShape = /^[\w-]{1,100}$/

/** The platform keeps scan results for 24 hours. */
const KEPT_MS = 23 * 3_600_000

const Entries = z.record(z.string(), z.object({ id: z.string().regex(scanIdShape), at: z.number() }))

export function openScanLedger(notebook: SessionCheckpoint | undefined, now: () => number): ScanLedger {
  const entries = new Map(Object.entries(readEntries(notebook?.read())))
  return {
    find: (workspaceIds) => {
      const entry = entries.get(keyOf(workspaceIds))
      return entry !== undefined && Math.abs(now() - entry.at) < KEPT_MS ? entry.id : undefined
    },
    add: (workspaceIds, id) => {
      entries.set(keyOf(workspaceIds), { id, at: now() })
      notebook?.write(JSON.stringify(Object.fromEntries(entries)))
    },
  }
}

const keyOf = (workspaceIds: readonly string[]) => hash('sha256', workspaceIds.join(' ')).slice(0, 32)

function readEntries(text: string | undefined): z.infer<typeof Entries> {
  try {
    return text === undefined ? {} : Entries.parse(JSON.parse(text))
  } catch {
    return {}
  }
}
