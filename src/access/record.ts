import { appendAudit, listAuditRows } from '../audit/audit.store.ts'
import { chainAudit, verifyAudit } from '../audit/audit-chain.store.ts'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../runtime/log.ts'
import type { Store } from '../store/store.ts'
import { createLimiter } from './limits.ts'

/** What was refused, to whom. */
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
  clock?: () => number
}

const SERVER = { name: 'assay', via: 'http' } as const

/**
 * Writes refusals into the audit trail: each kind once a minute, and not more than thirty at once of all, so that
 * nobody can fill the disk by being refused. Their number stands in the metrics.
 */
export function recordAccess({ store, log, now, clock = () => performance.now() }: Options): AccessRecord {
  const each = createLimiter({ perSecond: 1 / 60, burst: 1 }, clock)
  const all = createLimiter({ perSecond: 0.5, burst: 30 }, clock)
  return {
    refuse: (refused) => {
      log.info('a request was refused', { event: 'access_refused', ...refused })
      if (each.take(JSON.stringify(refused)) > 0 || all.take('') > 0) return
      const { reason, ...facts } = refused
      keepGoing(log, () =>
        store.write((writer) =>
          appendAudit(
            writer,
            { ...SERVER, at: now() },
            { action: 'refuse', kind: 'access', name: reason, after: facts },
          ),
        ),
      )
    },
  }
}

/** Writes into the audit trail how this server is set up, where that differs from the last time. */
export function recordSettings({ store, log, now }: Options, settings: object): void {
  keepGoing(log, () => {
    const [last] = store.read((reader) => listAuditRows(reader, { kind: 'settings', limit: 1 }))
    if (last?.after === JSON.stringify(settings)) return
    const before = last?.after === undefined || last.after === null ? {} : { before: JSON.parse(last.after) as object }
    const entry = { action: 'update', kind: 'settings', name: 'serve', ...before, after: settings }
    store.write((writer) => appendAudit(writer, { ...SERVER, at: now() }, entry), { durable: true })
  })
}

/** Chains what the installation wrote, and says in the log how the trail ends, so that a trail cut short shows. */
export function anchorAudit({ store, log }: Pick<Options, 'store' | 'log'>): void {
  keepGoing(log, () => {
    const { entries, unchained, head, brokenAt } = store.read(verifyAudit)
    if (unchained > 0 && brokenAt === undefined) store.write(chainAudit, { durable: true })
    const whole = store.read(verifyAudit)
    const facts = { event: 'audit_anchor', entries, head: whole.head === '' ? head : whole.head }
    if (brokenAt === undefined) log.info('the audit trail is intact', facts)
    else log.error('the audit trail was changed; see `assay audit verify`', { ...facts, brokenAt })
  })
}

/** Whoever answers goes on answering where the record cannot be written. */
function keepGoing(log: Log, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    log.warn('the audit trail could not be written', { error })
  }
}
