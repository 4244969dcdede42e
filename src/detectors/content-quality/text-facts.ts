import type { AssayDocument } from '../../documents/document.ts'
import { isUnspaced, wordsOf } from '../words.ts'
import { findPlaceholders, findPresentYears, type PlaceholderMark, type YearMark } from './marks.ts'

/** What is kept of a page's text. */
export interface TextFacts {
  words: number
  /** Things on it that are no words: images, links, macros and what they show. */
  others: number
  placeholders: PlaceholderMark[]
  years: YearMark[]
}

const FORMAT = 1
/** Two characters of a script without blanks make about one word. */
const CHARACTERS_PER_WORD = 2
/** More words than any setting asks for need not be counted. */
const MAX_WORDS = 2_000

/** Fewer words are no text yet. */
const BARE_WORDS = 10

const counted = new Set(['text', 'cell', 'code', 'expression'])
/** Titles that announce a form to be filled in; what is to be filled in there is no fault. */
const formTitle = /\b(?:templates?|vorlagen?|muster|modèles?|plantillas?|modello|sjabloon|szablon)\b/i
const datedTitle =
  /\b(?:19|20)\d\d\b|\b(?:histor\w*|changelog|release notes|archive\w*|minutes|retrospectives?|protokolle?)\b/i

export function toTextFacts(
  document: AssayDocument,
  asset: { name: string; labels?: readonly string[] },
  detectorType: string,
): TextFacts {
  const isForm = formTitle.test(asset.name) || asset.labels?.includes('template') === true
  const words = countWords(document)
  return {
    words,
    others: countOthers(document),
    placeholders: isForm ? [] : findPlaceholders(document, detectorType, words < BARE_WORDS),
    years: isForm || datedTitle.test(asset.name) ? [] : findPresentYears(document, detectorType),
  }
}

function countWords({ parts }: AssayDocument): number {
  let halves = 0
  for (const { kind, text } of parts) {
    if (!counted.has(kind)) continue
    for (const word of wordsOf(text)) {
      halves += isUnspaced(word) ? 1 : CHARACTERS_PER_WORD
      if (halves >= MAX_WORDS * CHARACTERS_PER_WORD) return MAX_WORDS
    }
  }
  return Math.ceil(halves / CHARACTERS_PER_WORD)
}

function countOthers({ parts, links, embeds = 0 }: AssayDocument): number {
  return parts.filter(({ kind }) => kind === 'attribute').length + links.length + embeds
}

export function encodeTextFacts(facts: TextFacts): Uint8Array {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...facts }))
}

/** Undefined where it was kept by another version. */
export function decodeTextFacts(data: Uint8Array): TextFacts | undefined {
  const { format, ...facts } = JSON.parse(Buffer.from(data).toString('utf8')) as TextFacts & { format: number }
  return format === FORMAT ? facts : undefined
}
