import type { SafeAsset } from '../connectors/safe-session.ts'
import { isWithin, type UnreadSection } from '../documents/section.ts'
import { type AssetRecord, findStoredFacts, listLinks } from '../findings/assets.store.ts'
import { listSectionsWithFindings, listUnread, summarizeUnread, type UnreadRecord } from '../findings/unread.store.ts'
import type { Reader } from '../store/store.ts'
import type { ScanNoteDraft } from './model.ts'

/** Reasons that count only while findings are in the section: without any, nothing is lost. */
const isQuiet: ReadonlySet<UnreadSection['reason']> = new Set(['switched_off', 'unsupported'])

/** What a scan did not read of an asset. */
export interface UnreadSections {
  /** Settled sections count as read. */
  records: readonly UnreadRecord[]
  /** Whether the last scan left the same sections unread, for the same reasons. */
  isAsBefore: boolean
}

/**
 * Judges the unread sections of an asset by what is stored. A section that is excluded on purpose, has no reader, or may
 * be empty counts only while findings are in it; one that may be empty is settled when it was missing in the scan
 * before as well, and that scan came to its end.
 */
export function judgeUnread(
  reader: Reader,
  sections: readonly UnreadSection[],
  { before, scanId }: { before: AssetRecord | undefined; scanId: number },
): UnreadSections {
  const known = before?.hasUnread === true ? listUnread(reader, before.id) : []
  if (sections.length === 0) return { records: [], isAsBefore: known.length === 0 }
  const held = before === undefined ? new Set<string>() : listSectionsWithFindings(reader, before.id)
  const isHeld = (section: string) => [...held].some((place) => isWithin(place, section))
  const hasBeenRead = before?.status === 'ACTIVE' && before.detectorsHash !== null
  const records = sections.flatMap((unread): UnreadRecord[] => {
    const { section, reason, isEmptyIfRepeated = false, isRare = false } = unread
    if ((isEmptyIfRepeated || isRare || isQuiet.has(reason)) && !isHeld(section)) return []
    const same = known.find((record) => record.section === section)
    const isRepeated = same?.reason === reason && same.isOfEndedScan && same.scanId !== scanId
    const isSettled = isEmptyIfRepeated && (same?.isSettled === true || isRepeated)
    const outer = known.find((record) => isWithin(section, record.section))
    return [{ ...unread, detail: unread.detail ?? '', wasRead: outer?.wasRead ?? hasBeenRead, isSettled, scanId }]
  })
  return { records, isAsBefore: toComparable(records) === toComparable(known) }
}

const toComparable = (records: readonly UnreadRecord[]) =>
  JSON.stringify(
    [
      ...new Set(
        records.map(({ section, reason, detail, isSettled }) => [section, reason, detail, isSettled].join(' ')),
      ),
    ].sort(),
  )

export const isOpen = ({ isSettled }: UnreadRecord) => !isSettled

/** Completes a draft with the stored links, facts, owner and date of the sections that were not read. */
export function withKnown(
  reader: Reader,
  draft: SafeAsset,
  before: AssetRecord | undefined,
  unread: readonly UnreadRecord[],
): SafeAsset {
  if (before === undefined) return draft
  const leftOut = (draft.unread ?? []).filter(({ isEmptyIfRepeated }) => isEmptyIfRepeated !== true)
  const isKnown = unread.some((record) => record.wasRead && isOpen(record))
  if (!isKnown && leftOut.length === 0) return draft
  const links = listLinks(reader, before.id).filter(
    ({ section }) => section !== undefined && [...unread, ...leftOut].some((outer) => isWithin(section, outer.section)),
  )
  if (!isKnown) return { ...draft, links: [...draft.links, ...links] }
  const { facts, owner, contentUpdatedAt } = findStoredFacts(reader, before.id)
  return {
    ...draft,
    links: [...draft.links, ...links],
    facts: { ...facts, ...draft.facts },
    ...(draft.owner === undefined && owner !== null ? { owner } : {}),
    ...(draft.contentUpdatedAt === undefined && contentUpdatedAt !== null ? { contentUpdatedAt } : {}),
  }
}

const noun = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

const reasons: Readonly<Record<UnreadSection['reason'], string>> = {
  refused: 'the platform denies access',
  failed: 'the platform returned an error',
  missing: 'the platform omitted it',
  not_available: 'the platform could not provide it',
  switched_off: 'it is turned off in the settings',
  limit: 'it exceeds a limit',
  unsupported: 'no text is read from its format',
}

/** Reasons that are reported even if no finding is affected. */
const reportedAlways: ReadonlySet<string> = new Set(['refused', 'missing', 'not_available'])

/** Notes on what a scan did not read, and whether the reason was a permission that existed before. */
export function reportUnread(reader: Reader, scanId: number): { notes: ScanNoteDraft[]; isRightLost: boolean } {
  const sums = summarizeUnread(reader, scanId)
  const notes = sums
    .filter(
      ({ reason, findings, readBefore, isSettled }) =>
        isSettled || findings > 0 || reason === 'failed' || (readBefore > 0 && reportedAlways.has(reason)),
    )
    .map(({ scopeKey, kind, section, reason, detail, isSettled, assets, findings }): ScanNoteDraft => {
      const what = section === '' ? kind : `${section} of ${kind}`
      if (isSettled) {
        const message = `${what} was missing in two scans in a row, in ${noun(assets, 'case')}: it is treated as empty, and its findings as removed.`
        return { code: 'taken_as_empty', message, scope: scopeKey }
      }
      const why = detail === '' ? reasons[reason] : `${reasons[reason]} (${detail})`
      const stay = findings === 0 ? 'it has no known findings' : `its ${findings} findings are kept`
      return {
        code: 'not_read',
        message: `${what} was not read in ${noun(assets, 'case')}: ${why}; ${stay}.`,
        scope: scopeKey,
      }
    })
  return { notes, isRightLost: sums.some(({ reason, readBefore }) => reason === 'refused' && readBefore > 0) }
}
