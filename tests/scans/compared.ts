import type { Scan } from '../../src/scans/model.ts'
import { listKept } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

interface Told {
  scan: Scan
  /** Findings whose status or history is another one. */
  changed: string[]
  /** Findings that were not found by the scan. */
  unseen: number
}

/** After so long a scan reads everything, whatever the platform's times show. */
export const PAST_REREAD_MS = 8 * 86_400_000

export function scanLater(bench: Workbench): Promise<Scan> {
  bench.clock.now += PAST_REREAD_MS
  return bench.scan()
}

/** What a scan did to the findings. */
export async function scanAndCompare(bench: Workbench): Promise<Told> {
  const before = new Map(listKept(bench).map((finding) => [`${finding.asset} ${finding.fp}`, finding]))
  const scan = await scanLater(bench)
  const after = listKept(bench)
  const changed = after.flatMap(({ asset, fp, status, history, excerpt }) => {
    const known = before.get(`${asset} ${fp}`)
    const isSame = known !== undefined && known.status === status && known.history === history
    return isSame ? [] : [`${asset}: ${excerpt}: ${known?.status} to ${status}`]
  })
  return { scan, changed, unseen: after.filter(({ isFresh, status }) => !isFresh && status !== 'RESOLVED').length }
}
