import { line, type Shown } from '../kernel/shown.ts'
import { isUnreviewed } from '../store/review.store.ts'
import type { Reader } from '../store/store.ts'

/** A term with a mark where an assistant wrote it and no person has changed it since. */
export function withReview<Term extends { slug: string }>(reader: Reader, term: Term): Term & { unreviewed?: true } {
  return isUnreviewed(reader, 'term', term.slug) ? { ...term, unreviewed: true } : term
}

/** What a line about a term says of its state. */
export const showTags = ({ isActive, unreviewed }: { isActive: boolean; unreviewed?: true | undefined }): Shown =>
  line`${isActive ? line`` : line` [inactive]`}${unreviewed === true ? line` [unreviewed]` : line``}`
