import { rewriteAudit } from '../audit/audit.store.ts'
import { createNumberer } from '../detectors/fingerprint.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { AppError } from '../kernel/errors.ts'
import type { Log } from '../runtime/log.ts'
import { sleepSync } from '../runtime/pause.ts'
import { listDamagedDefinitions, resealDefinitions } from '../store/digests.store.ts'
import { findTextsHiddenAt, saveTextsHidden, textsHidden } from '../store/install.store.ts'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import type { Store, Writer } from '../store/store.ts'
import { listTextTables, toSafeEntry } from './stored-columns.ts'
import { maskTable, rebuildTextIndexes } from './stored-texts.store.ts'
import { maskWords } from './stored-words.store.ts'

/** How long to wait for another process that is masking a large database. */
const PATIENCE_MS = 600_000
const POLL_MS = 200

export interface HideOptions {
  store: Store
  vault: KeyedVault
  log: Log
  now: () => number
}

/**
 * Masks texts that were stored before all texts were masked: once, in one transaction, so that several processes may
 * start together and a crash changes nothing. Afterwards compacts the database, whose free pages may still contain the
 * original texts.
 */
export function maskStoredTexts({ store, vault, log, now }: HideOptions): void {
  const problem = vault.problem()
  if (problem !== undefined) {
    log.warn('texts stored by earlier versions were not searched for credentials because the key is missing', {
      reason: problem.facts.reason,
    })
    return
  }
  const changed = store.read(findTextsHiddenAt) === undefined ? maskOnce(store, vault, now()) : undefined
  if (changed === 0) return
  if (store.read(findTextsHiddenAt) !== textsHidden.uncompacted) return
  try {
    store.files?.compact()
  } catch (error) {
    log.warn('text masked in the database may still be present in its free pages; the next start compacts it again', {
      error,
    })
    return
  }
  store.write((writer) => saveTextsHidden(writer, String(now())), { essential: true })
  log.warn(
    'credentials and personal data in stored texts were masked; older backups may still contain them: make a new one and delete those',
    changed === undefined ? {} : { rows: changed },
  )
}

/** Masks everything in one transaction, waiting while another process does; returns the number of changed rows. */
function maskOnce(store: Store, vault: KeyedVault, at: number): number {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return store.write(
        (writer) => {
          if (findTextsHiddenAt(writer) !== undefined) return 0
          const changed = maskAll(writer, createNumberer(vault.fingerprintKey()), at)
          saveTextsHidden(writer, changed === 0 ? textsHidden.nothing : textsHidden.uncompacted)
          return changed
        },
        { essential: true },
      )
    } catch (error) {
      const isBusy = error instanceof AppError && ['busy', 'import_in_progress'].includes(String(error.facts.reason))
      if (!isBusy || performance.now() > deadline) throw error
      sleepSync(POLL_MS)
    }
  }
}

function maskAll(writer: Writer, identify: (canonical: string) => number, at: number): number {
  const damaged = listDamagedDefinitions(writer)
  let changed = maskWords(writer, at)
  for (const table of listTextTables(identify)) changed += maskTable(writer, table)
  changed += rewriteAudit(writer, at, toSafeEntry)
  if (changed === 0) return 0
  resealDefinitions(writer, [...damaged, ...damaged.map((name) => toSafeText(name, 'definition'))])
  rebuildTextIndexes(writer)
  return changed
}
