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
  records: readonly UnreadRecord[]
  /** Whether the last scan left the same sections unread, for the same reasons. */
  isAsBefore: boolean
}

/**
 * Judges the unread sections of an asset by what is stored. A section that is excluded on purpose, has no reader or is
 * rare counts only while findings are in it.
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
    const { section, reason, isRare = false } = unread
    if ((isRare || isQuiet.has(reason)) && !isHeld(section)) return []
    const outer = known.find((record) => isWithin(section, record.section))
    return [{ ...unread, detail: unread.detail ?? '', wasRead: outer?.wasRead ?? hasBeenRead, scanId }]
  })
  return { records, isAsBefore: toComparable(records) === toComparable(known) }
}

const toComparable = (records: readonly UnreadRecord[]) =>
  JSON.stringify([...new Set(records.map(({ section, reason, detail }) => [section, reason, detail].join(' ')))].sort())

/** Completes a draft with the stored links, facts, owner and date of the sections that were not read. */
export function withKnown(
  reader: Reader,
  draft: SafeAsset,
  before: AssetRecord | undefined,
  unread: readonly UnreadRecord[],
): SafeAsset {
  if (before === undefined) return draft
  const leftOut = draft.unread ?? []
  const isKnown = unread.some(({ wasRead }) => wasRead)
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
      ({ reason, findings, readBefore }) =>
        findings > 0 || reason === 'failed' || (readBefore > 0 && reportedAlways.has(reason)),
    )
    .map(({ scopeKey, kind, section, reason, detail, assets, findings }): ScanNoteDraft => {
      const what = section === '' ? kind : `${section} of ${kind}`
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
