import type { AssayDocument } from '../../documents/document.ts'
import { isUnspaced, wordsOf } from '../words.ts'
import { findPlaceholders, findPresentYears, type PlaceholderMark, type YearMark } from './marks.ts'

/** Data of a page's text that is stored for the evaluation. */
export interface TextFacts {
  words: number
  /** Number of non-word items: attributes, links, images and macros without text. */
  others: number
  placeholders: PlaceholderMark[]
  years: YearMark[]
}

const FORMAT = 1
/** In scripts without spaces, two characters count as one word. */
const CHARACTERS_PER_WORD = 2
/** Counting stops here, above the maximum of any setting. */
const MAX_WORDS = 2_000

/** With fewer words, a page counts as bare. */
const BARE_WORDS = 10

const counted = new Set(['text', 'cell', 'code', 'expression'])
/** Titles of templates and forms, where placeholders are intentional. */
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

/** Undefined where another version stored it. */
export function decodeTextFacts(data: Uint8Array): TextFacts | undefined {
  const { format, ...facts } = JSON.parse(Buffer.from(data).toString('utf8')) as TextFacts & { format: number }
  return format === FORMAT ? facts : undefined
}
