import { isTechnical, passwordConfidence, tokenConfidence } from './guards.ts'
import type { KeyKind } from './keys.ts'
import { kindOfKey } from './keys.ts'

/** A value below the line that names it. */
export interface BelowHeading {
  kind: Exclude<KeyKind, undefined>
  start: number
  end: number
  value: string
  confidence: number
}

const MAX_HEADING = 80
const MAX_LINE = 400
const MAX_SKIPPED = 4
const MAX_ITEMS = 20
/** Markup of headings: Markdown, AsciiDoc, wiki, emphasis, numbers. */
const marks =
  /^[ \t]{0,3}(?:#{1,6}[ \t]{0,4}|={1,6}[ \t]{1,4}|h[1-6]\.[ \t]{1,4}|[*_]{2,3}|\d{1,2}(?:\.\d{1,2}){0,3}[.)]?[ \t]{1,4}){0,3}/
const closingMarks = /[ \t]{0,4}(?:#{1,6}|(?<=\s)={1,6}|[*_]{2,3}|[:：])?[ \t]{0,4}$/
const remark = /[ \t]{1,2}[([][^()[\]]{1,40}[)\]]$/
const name = /^[\p{L}\p{M}\d][\p{L}\p{M}\d '’/_&-]{0,60}$/u
const passedOver =
  /^[ \t]{0,8}(?:[=~*-]{3,80}|`{3,}[\w-]{0,20}|~{3,}[\w-]{0,20}|\{code[^}]{0,40}\}|<[a-z]{1,10}>)?[ \t]{0,8}$/
const bullet = /^[ \t]{0,8}(?:[-*•+>][ \t]{1,4}|\d{1,2}[.)][ \t]{1,4})?/
const enclosed = /^[`"'*_“„«「]{0,3}([^\s`"“”„«»「」]{5,200}?)[`"'*_”“»」]{0,3}[.,;]?$/
const named = /^[\p{L}\p{M}\d][\p{L}\p{M}\d '’._/@-]{0,40}[ \t]{0,2}(?::|=|→|->|[ \t][–—-])[ \t]{1,4}(?=\S)/u

/** `result.append(tokens[-1])` below `if tokens:`. */
const callShape = /^[\w$]{1,40}(?:\.[\w$]{1,40}){0,6}\([^()]{0,200}\);?$/

/** The text of a heading without its markup; undefined if the line is more than a name. */
export function toHeading(line: string): string | undefined {
  if (line.length > MAX_HEADING) return undefined
  const text = line.replace(marks, '').replace(closingMarks, '').replace(remark, '').trim()
  return name.test(text) && text.split(/\s+/).length <= 6 ? text : undefined
}

/** Values in the lines below a heading, if the label around `start` is a heading. */
export function* findBelowHeading(text: string, start: number): Generator<BelowHeading> {
  const reach = Math.max(0, start - MAX_HEADING)
  const lineStart = reach + text.slice(reach, start).lastIndexOf('\n') + 1
  const [line = ''] = text.slice(lineStart, lineStart + MAX_HEADING + 2).split(/\r?\n/, 1)
  const heading = toHeading(line)
  const kind = heading === undefined ? undefined : kindOfKey(heading)
  if (kind === undefined) return
  let at = nextLine(text, lineStart)
  let items = 0
  for (let skipped = 0; at < text.length && items < MAX_ITEMS; ) {
    const [below = ''] = text.slice(at, at + MAX_LINE).split(/\r?\n/, 1)
    if (passedOver.test(below)) {
      if (++skipped > MAX_SKIPPED) return
    } else {
      const found = readItem(below, at, kind)
      if (found !== undefined) yield found
      if (!/^[ \t]{0,8}[-*•+]/.test(below)) return
      items++
    }
    at = nextLine(text, at)
  }
}

function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** A line that is only the value, or in a list a name and the value. */
function readItem(line: string, at: number, kind: Exclude<KeyKind, undefined>): BelowHeading | undefined {
  const lead = bullet.exec(line)?.[0].length ?? 0
  const label = lead > 1 ? (named.exec(line.slice(lead))?.[0].length ?? 0) : 0
  const value = enclosed.exec(line.slice(lead + label).trimEnd())?.[1]
  if (value === undefined) return undefined
  const start = at + line.indexOf(value, lead + label)
  const confidence = confidenceBelow(value, kind)
  return confidence === 0 ? undefined : { kind, start, end: start + value.length, value, confidence }
}

/** Confidence of a value that is alone below its name. */
export function confidenceBelow(value: string, kind: Exclude<KeyKind, undefined>): number {
  if (callShape.test(value)) return 0
  if (kind === 'token') return tokenConfidence(value, true)
  return isTechnical(value) ? 0 : passwordConfidence(value, false, false)
}
