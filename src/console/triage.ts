import type { FindingStatus } from '../findings/model.ts'
import { client } from './client.ts'
import type { Filters, Triaged } from './model.ts'

/** What is to be changed: findings by id, or all that match, as long as they are as many as was shown. */
export type Target =
  | { ids: readonly string[] }
  | { filters: Filters; search?: string | undefined; expectedCount: number }

const REASONS = 'assay.reasons'
const MAX_REASONS = 5

export const decisions: Readonly<
  Record<string, { status: FindingStatus; label: string; done: string; asks: boolean }>
> = {
  f: { status: 'FALSE_POSITIVE', label: 'False positive', done: 'marked as false positive', asks: true },
  i: { status: 'IGNORED', label: 'Ignore', done: 'ignored', asks: true },
  r: { status: 'RESOLVED', label: 'Resolve', done: 'resolved', asks: false },
  o: { status: 'OPEN', label: 'Open again', done: 'opened again', asks: false },
}

/** The reasons given last, newest first. */
export function listReasons(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(REASONS) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each): each is string => typeof each === 'string') : []
  } catch {
    return []
  }
}

export function keepReason(reason: string): void {
  const others = listReasons().filter((each) => each !== reason)
  localStorage.setItem(REASONS, JSON.stringify([reason, ...others].slice(0, MAX_REASONS)))
}

export function decide(target: Target, status: FindingStatus, reason: string | undefined): Promise<Triaged> {
  const { search, ...rest } = { search: undefined, ...target }
  return client.triageFindings({
    ...rest,
    ...(search === undefined ? {} : { search }),
    status,
    ...(reason === undefined ? {} : { reason }),
  })
}

/** Gives each finding its former status and end, unless it was changed since; the history keeps both changes. */
export async function undo({ items }: Triaged, status: FindingStatus): Promise<number> {
  const groups = new Map<string, { ids: string[]; status: FindingStatus; until?: string | undefined }>()
  for (const { id, from, until } of items) {
    const key = `${from} ${until ?? ''}`
    const group = groups.get(key) ?? { ids: [], status: from, until }
    group.ids.push(id)
    groups.set(key, group)
  }
  let changed = 0
  for (const group of groups.values()) {
    changed += (await client.triageFindings({ ...group, expectedStatus: status, reason: 'undo' })).changed
  }
  return changed
}
