/** Why a section was not read. */
export const unreadReasons = [
  /** The platform refuses it: no permission, not found, or not supported for this item. */
  'refused',
  /** The request failed; a later one may succeed. */
  'failed',
  /** The response lacks it although it was requested. */
  'missing',
  /** The platform reports that it cannot provide it. */
  'not_available',
  /** An option of the source excludes it. */
  'switched_off',
  /** It exceeds a size or time limit. */
  'limit',
  /** No reader extracts text from its format. */
  'unsupported',
] as const
export type UnreadReason = (typeof unreadReasons)[number]

/** A section of an item that was not read: findings located in it keep their state. */
export interface UnreadSection {
  /** Name of the section; includes sections below it, separated by a slash. Empty: the whole item. */
  section: string
  reason: UnreadReason
  /** What the platform reported, in one word. */
  detail?: string
  /** Few items have the section: it counts only while findings are in it. */
  isRare?: boolean
}

/** Whether a section equals another one or is below it. */
export const isWithin = (section: string, outer: string): boolean =>
  outer === '' || section === outer || section.startsWith(`${outer}/`)
