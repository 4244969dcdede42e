import type { Range } from '../kernel/ranges.ts'

/** A text with some obfuscation removed, and the range in the original that each of its characters comes from. */
export interface DeobfuscatedText {
  text: string
  /** Absent: the text is the original itself. */
  from?: { starts: readonly number[]; ends: readonly number[] }
}

/** Converts a range of a reading to a range of the original. */
export function toOriginal({ from }: DeobfuscatedText, { start, end }: Range): Range {
  if (from === undefined) return { start, end }
  return { start: from.starts[start] ?? 0, end: from.ends[end - 1] ?? 0 }
}

const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u
const beyondAscii = /[^\t\n\r -~]/gu
const dash = /[\u2010-\u2015\u2212]/

function toPlain(character: string): string {
  if (invisible.test(character)) return ''
  if (dash.test(character)) return '-'
  const folded = character.normalize('NFKC')
  return dash.test(folded) ? '-' : folded
}

const tag = /<[^<>]{1,300}>|\{\w{2,20}(?::[^{}]{0,80})?\}|[*`\\]|~~|__/g
const entity = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|shy|nbsp|zwj|zwnj|lrm|rlm|ZeroWidthSpace));/gi
const named: Record<string, string> = { amp: '&', nbsp: ' ', lt: '<', gt: '>', quot: '"', apos: "'" }
const escaped = /\\u(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))/gi
const percentRun = /(?:%[0-9a-f]{2})+/gi

const fromEscape = (whole: string, braced?: string, plain?: string): string => {
  const code = Number.parseInt(braced ?? plain ?? '', 16)
  return code > 0x10ffff ? whole : toPlain(String.fromCodePoint(code))
}

function fromEntity(_: string, decimal?: string, hexadecimal?: string, name = ''): string {
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  if (Number.isNaN(code)) return named[name.toLowerCase()] ?? ''
  return code > 0x10ffff ? '' : String.fromCodePoint(code)
}

/** Bytes that are not valid UTF-8 are kept as they are. */
function fromPercents(percents: string): string {
  try {
    return decodeURIComponent(percents)
  } catch {
    return percents
  }
}

const MAX_DECODINGS = 3

/** Any character but white space and the printable ones of ASCII that no obfuscation consists of. */
const disguise = /[^\t\n\r -$'-)+-;=-[\]-_a-z|}]|__/

/** A text, then successive readings, each with more obfuscation removed; readings without changes are skipped. */
export function* readingsOf(text: string): Generator<DeobfuscatedText> {
  let reading: DeobfuscatedText = { text }
  yield reading
  if (!disguise.test(text)) return
  for (let round = 0; round < MAX_DECODINGS; round++) {
    const before = reading.text
    for (const takeOff of [fold, unmark, unescapePercents]) {
      const next = takeOff(reading)
      if (next.text !== reading.text) yield next
      reading = next
    }
    if (reading.text === before) return
  }
}

/** Removes invisible characters and normalizes width and style variants (NFKC). */
const fold = (reading: DeobfuscatedText): DeobfuscatedText => rewrite(reading, beyondAscii, toPlain)

/** Removes tags, macros and emphasis marks, and decodes escapes and entities. */
function unmark(reading: DeobfuscatedText): DeobfuscatedText {
  const unescaped = rewrite(reading, escaped, fromEscape)
  return rewrite(
    rewrite(unescaped, tag, () => ''),
    entity,
    fromEntity,
  )
}

function unescapePercents(reading: DeobfuscatedText): DeobfuscatedText {
  return reading.text.includes('%') ? rewrite(reading, percentRun, fromPercents) : reading
}

type Replace = (whole: string, ...groups: string[]) => string

/** Replaces all matches of a pattern; each character of a replacement maps to the whole match. */
function rewrite(reading: DeobfuscatedText, pattern: RegExp, replace: Replace): DeobfuscatedText {
  const { text, from } = reading
  let rewritten = ''
  let at = 0
  const starts: number[] = []
  const ends: number[] = []
  const keep = (end: number) => {
    for (let index = at; index < end; index++) {
      starts.push(from?.starts[index] ?? index)
      ends.push(from?.ends[index] ?? index + 1)
    }
    rewritten += text.slice(at, end)
  }
  for (const match of text.matchAll(pattern)) {
    const [whole, ...groups] = match
    const replacement = replace(whole, ...groups)
    if (replacement === whole) continue
    keep(match.index)
    at = match.index + whole.length
    const { start, end } = toOriginal(reading, { start: match.index, end: at })
    for (let index = 0; index < replacement.length; index++) {
      starts.push(start)
      ends.push(end)
    }
    rewritten += replacement
  }
  if (at === 0 && rewritten === '') return reading
  keep(text.length)
  return { text: rewritten, from: { starts, ends } }
}
