import { appendAudit, listAuditRows } from '../audit/audit.store.ts'
import { chainAudit, verifyAudit } from '../audit/audit-chain.store.ts'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { createLimiter } from './limits.ts'

/** A refused request and its sender. */
export interface RefusedAccess {
  reason: string
  address?: string | undefined
  principal?: string | undefined
  operation?: string | undefined
}

export interface AccessRecord {
  refuse(refused: RefusedAccess): void
}

interface Options {
  store: Store
  log: Log
  now: () => number
}

interface RecordOptions {
  /** Writes a refusal to the audit trail. */
  append: (refused: RefusedAccess) => void
  log: Log
  clock?: () => number
}

const SERVER = { name: 'assay', via: 'http' } as const

/**
 * Writes refusals to the audit trail: each distinct one once a minute, all together in bursts of at most 30 (one per 2
 * s), so that refused requests cannot fill the disk. Metrics count all of them.
 */
export function recordAccess({ append, log, clock = () => performance.now() }: RecordOptions): AccessRecord {
  const each = createLimiter({ perSecond: 1 / 60, burst: 1 }, clock)
  const all = createLimiter({ perSecond: 0.5, burst: 30 }, clock)
  return {
    refuse: (refused) => {
      log.info('a request was refused', { event: 'access_refused', ...refused })
      if (each.take(JSON.stringify(refused)) > 0 || all.take('') > 0) return
      append(refused)
    },
  }
}

/** Writes one refusal to the audit trail. */
export function appendRefusal({ store, log, now }: Options, { reason, ...facts }: RefusedAccess): void {
  const entry = { action: 'refuse', kind: 'access', name: reason, after: facts }
  logFailure(log, () => store.write((writer) => appendAudit(writer, { ...SERVER, at: now() }, entry)))
}

/** Records the settings of this server in the audit trail when they differ from the last recorded ones. */
export function recordSettings({ store, log, now }: Options, settings: object): void {
  logFailure(log, () => {
    const [last] = store.read((reader) => listAuditRows(reader, { kind: 'settings', limit: 1 }))
    if (last?.after === JSON.stringify(settings)) return
    const before = last?.after === undefined || last.after === null ? {} : { before: JSON.parse(last.after) as object }
    const entry = { action: 'update', kind: 'settings', name: 'serve', ...before, after: settings }
    store.write((writer) => appendAudit(writer, { ...SERVER, at: now() }, entry), { durable: true })
  })
}

/**
 * Chains entries that migrations wrote, and logs the head hash of the trail, so that a truncated trail can be detected.
 */
export function anchorAudit({ store, log }: Pick<Options, 'store' | 'log'>): void {
  logFailure(log, () => {
    const { entries, unchained, head, brokenAt } = store.read(verifyAudit)
    if (unchained > 0 && brokenAt === undefined) store.write(chainAudit, { durable: true })
    const whole = store.read(verifyAudit)
    // As bytes, because a text would be searched for personal numbers, whose tables take memory.
    const digest = Uint8Array.from(Buffer.from(whole.head === '' ? head : whole.head, 'hex'))
    const facts = { event: 'audit_anchor', entries, head: digest }
    if (brokenAt === undefined) log.info('the audit trail is intact', facts)
    else log.error('the audit trail was changed; see `assay audit verify`', { ...facts, brokenAt })
  })
}

/** The server keeps answering when the audit trail cannot be written. */
function logFailure(log: Log, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.warn('the audit trail could not be written', { error })
  }
}
