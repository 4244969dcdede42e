import { line, type PrintableText } from '../kernel/shown.ts'
import { isUnreviewed } from '../store/review.store.ts'
import type { Reader } from '../store/store.ts'

/** Marks a term as unreviewed if an assistant wrote it and no person has edited it since. */
export function withReview<Term extends { slug: string }>(reader: Reader, term: Term): Term & { unreviewed?: true } {
  return isUnreviewed(reader, 'term', term.slug) ? { ...term, unreviewed: true } : term
}

/** The state of a term as tags at the end of a line. */
export const showTags = ({
  isActive,
  unreviewed,
}: {
  isActive: boolean
  unreviewed?: true | undefined
}): PrintableText => line`${isActive ? line`` : line` [inactive]`}${unreviewed === true ? line` [unreviewed]` : line``}`
