/** Why a section was not read. */
export const unreadReasons = [
  /** The platform says no: no right, not there, not made for this item. */
  'refused',
  /** The call failed this time. */
  'failed',
  /** The reply lacks it although it was asked for. */
  'missing',
  /** The platform says that it could not tell it. */
  'not_available',
  /** An option of the source leaves it out. */
  'switched_off',
  /** It is larger, or takes longer, than is allowed. */
  'limit',
] as const
export type UnreadReason = (typeof unreadReasons)[number]

/** A section of an item that was not read: findings that are located in it stay as they are. */
export interface UnreadSection {
  /** Its name; sections below it, after a slash, are meant as well. Empty: the whole item. */
  section: string
  reason: UnreadReason
  /** What the platform said, in one word. */
  detail?: string
  /**
   * The platform may leave it out because it is empty: a second scan in a row that does not get it takes it as empty.
   */
  isEmptyIfRepeated?: boolean
}

/** Whether a section is another one, or stands below it. */
export const isWithin = (section: string, outer: string): boolean =>
  outer === '' || section === outer || section.startsWith(`${outer}/`)
