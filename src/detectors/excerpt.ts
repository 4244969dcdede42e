import { joinRanges, type Range } from '../kernel/ranges.ts'
import { maskCredentials } from '../kernel/redaction.ts'
import { cutText, toCharacterStart } from '../kernel/well-formed.ts'
import { readingsOf } from './disguise.ts'
import type { ReportedValues } from './reported-values.ts'
import { findHidden } from './safe-text.ts'
import { toVisibleLine } from './text.ts'

const SURROUNDINGS = 40
const MAX_SHOWN_LENGTH = 200
/** Characters around a match that are searched for credentials that extend into the excerpt. */
const HIDDEN_REACH = 300
export const MASK_TEXT = '•••'

export interface ExcerptMatch extends Range {
  /** Text that may be displayed for the match. */
  shown?: string
}

/**
 * The match with its surroundings, on one line, with the match and all other findings in the window masked. `veiled`
 * are all ranges of the text that must not be displayed.
 */
export function toExcerpt(text: string, match: ExcerptMatch, veiled: readonly Range[]): string {
  let start = toCharacterStart(text, Math.max(0, match.start - SURROUNDINGS))
  let end = toCharacterStart(text, Math.min(text.length, match.end + SURROUNDINGS))
  const nearby = joinRanges(veiled.filter((range) => range.end > start && range.start < end && !covers(match, range)))
  const ranges = joinRanges([...nearby, match])
  start = Math.min(start, ranges[0]?.start ?? start)
  end = Math.max(end, ranges.at(-1)?.end ?? end)
  let excerpt = start > 0 ? '…' : ''
  let at = start
  for (const range of ranges) {
    excerpt += toVisibleLine(text.slice(at, range.start))
    excerpt += covers(range, match) ? shownOf(match) : MASK_TEXT
    at = range.end
  }
  excerpt += toVisibleLine(text.slice(at, end))
  return `${maskCredentials(excerpt).trim()}${end < text.length ? '…' : ''}`
}

/**
 * Credentials, personal data and reported values around matches, for `veiled`. Searches the unmasked text, because
 * masking part of a credential would prevent the rest from being recognized later.
 */
export function findHiddenAround(text: string, matches: readonly Range[], values: ReportedValues): Range[] {
  const windows = matches.map(({ start, end }) => ({
    start: Math.max(0, start - HIDDEN_REACH),
    end: Math.min(text.length, end + HIDDEN_REACH),
  }))
  return joinRanges(windows).flatMap((window) => {
    const part = text.slice(window.start, window.end)
    const readings = [...readingsOf(part)]
    return [...findHidden(part, 'prose', readings), ...values.find(part, readings)].map(({ start, end }) => ({
      start: start + window.start,
      end: end + window.start,
    }))
  })
}

const covers = (outer: Range, inner: Range) => outer.start <= inner.start && outer.end >= inner.end

const shownOf = ({ shown, start, end }: ExcerptMatch) =>
  shown === undefined ? `${MASK_TEXT}(${end - start})` : cutText(toVisibleLine(shown), MAX_SHOWN_LENGTH)
