import { type AssayDocument, findLineColumn, type Part, toSourceOffset } from '../../documents/document.ts'
import { isSuppressed } from '../suppression.ts'

/** A location in the source. */
export interface TextSpan {
  path: string
  line?: number
  column?: number
  start: number
  end: number
}

/** A sign of unfinished text. `shown` is a fixed text of the rule, never text of the page. */
export interface PlaceholderMark extends TextSpan {
  rule: string
  shown: string
}

/** A year that the text presents as current. */
export interface YearMark extends TextSpan {
  year: number
  shown: string
}

interface PlaceholderRule {
  name: string
  pattern: RegExp
  shown: string
}

/** Applied to single lines, in order; at most one mark per rule is reported. */
export const placeholderRules: readonly PlaceholderRule[] = [
  { name: 'lorem', pattern: /\blorem ipsum\b/i, shown: 'Lorem ipsum …' },
  {
    name: 'insert',
    pattern:
      /[[<{«] ?(?:please )?(?:insert [\p{L}\d]|(?:enter|add|type|describe|write|replace|put) [^\][<>{}«»]{0,50}(?:\bhere\b|\byour\b|…|\.\.\.)|your [^\][<>{}«»]{0,40}\bhere\b)[^\][<>{}«»]{0,60}[\]>}»]/iu,
    shown: '[insert … here]',
  },
  {
    name: 'here',
    pattern:
      /\b(?:your (?:text|content|title|description) (?:goes )?here|(?:type|enter|write|add|put|insert) (?:your |the |some )?(?:text|content|description|details|title) here|replace this (?:text|paragraph|section) with|click here to (?:add|enter) (?:text|a description)|(?:text|beschreibung|inhalt) hier (?:einfügen|eintragen|ergänzen)|insérer (?:le |votre )?texte ici|inserte? (?:el |su )?texto aquí)\b/i,
    shown: 'your text here',
  },
  {
    name: 'tbd',
    pattern:
      /(?:^|[:|(–—-]) {0,3}(?:TB[DCA]|t\.b\.[dca]\.|to be (?:defined|determined|decided|announced|completed|written|added|filled in|documented)|noch zu (?:klären|definieren|ergänzen)|à (?:compléter|définir|préciser)|por (?:definir|completar)|da (?:definire|completare))[)\].…! ]{0,5}$/iu,
    shown: 'to be defined',
  },
  { name: 'todo', pattern: /^[^\p{L}\p{N}]{0,4}(?:TODO|FIXME) ?[:–-] ?\S/u, shown: 'TODO: …' },
  {
    name: 'stub',
    pattern:
      /\b(?:this|the) (?:page|section|article|document|chapter) (?:is (?:still |currently )?(?:a stub|empty|under construction|intentionally left blank|a work in progress|being (?:re)?written|not (?:yet )?(?:written|finished|complete))|will be (?:written|completed|filled in|added) (?:soon|later))|\bdiese seite (?:ist|wird) (?:noch|gerade) (?:leer|im aufbau|in arbeit|geschrieben|überarbeitet)|\bpage en (?:cours de )?construction\b|\bpágina en construcción\b|^(?:coming soon|under construction|page under construction|content coming soon)[.! …]{0,4}$/i,
    shown: 'this page is unfinished',
  },
]

const TEMPLATE_RULE = 'template'
/** Only for pages with hardly any words, where the bare keyword means that the content is missing. */
const loneWord: PlaceholderRule = {
  name: 'todo',
  pattern: /^[^\p{L}\p{N}]{0,4}(?:TODO|FIXME|WIP)[^\p{L}\p{N}]{0,4}$/u,
  shown: 'TODO',
}

/** A phrase for "as of today", followed by a year at most 24 characters later. */
export const presentYear =
  /\b(as of|as at|last (?:updated|reviewed|checked|verified)|latest|newest|most recent|current(?:ly)?|up[- ]to[- ]date|stand|aktuell(?:e[rnms]?)?|zuletzt (?:aktualisiert|geprüft)|dernière mise à jour|actuel(?:lement|le)?|última actualización|actual)\b([^.;!?]{0,24}?)\b((?:19|20)\d\d)\b/giu
const notPresent =
  /\b(?:since|until|till|from|after|before|between|than|by|was|were|seit|bis|ab|vor|nach|war|depuis|avant|après|desde|hasta)\b/iu
const reviewColumn =
  /\b(?:last )?(?:updated|reviewed|checked|verified)\b|\bas of\b|\bstand\b|\bgeprüft\b|mise à jour|actualización/i
/** Sections that describe the past, where old years are expected. */
const pastSection =
  /\b(?:19|20)\d\d\b|\b(?:histor\w*|changes|changelog|release notes|versions?|revisions?|archive\w*|minutes|background|timeline|milestones|protokolle?|verlauf|historique|historial)\b/i

const MAX_YEARS = 20
const MAX_LINE_LENGTH = 2_000

const isReadText = ({ kind }: Part) => kind === 'text' || kind === 'cell'

/** Marks of unfinished text, at most one per rule. `bare`: the page has hardly any words. */
export function findPlaceholders(document: AssayDocument, detectorType: string, bare = false): PlaceholderMark[] {
  const marks: PlaceholderMark[] = []
  const waiting = new Set(bare ? [...placeholderRules, loneWord] : placeholderRules)
  for (const part of document.parts) {
    if (part.kind === 'comment' && part.label === 'placeholder') {
      if (!marks.some(({ rule }) => rule === TEMPLATE_RULE)) {
        const place = toPlace(document, part, 0, part.text.length)
        marks.push({ rule: TEMPLATE_RULE, shown: 'an instruction of the template', ...place })
      }
      continue
    }
    if (!isReadText(part)) continue
    for (const { line, at } of linesOf(part.text)) {
      for (const rule of waiting) {
        const found = rule.pattern.exec(line)
        if (found === null || isSuppressed(part.text, at + found.index, detectorType)) continue
        const start = at + found.index + leadOf(found[0])
        marks.push({
          rule: rule.name,
          shown: rule.shown,
          ...toPlace(document, part, start, at + found.index + found[0].length),
        })
        waiting.delete(rule)
      }
      if (waiting.size === 0) return marks
    }
  }
  return marks
}

/** Years that the text presents as current, each once. */
export function findPresentYears(document: AssayDocument, detectorType: string): YearMark[] {
  const marks = new Map<string, YearMark>()
  const add = (part: Part, start: number, end: number, words: string, year: number) => {
    const shown = `${words.toLowerCase()} … ${year}`
    // Next to "current", 2000 is more often a quantity than a year.
    if (year === 2000 || marks.has(shown) || isSuppressed(part.text, start, detectorType)) return
    marks.set(shown, { year, shown, ...toPlace(document, part, start, end) })
  }
  for (const part of document.parts) {
    if (marks.size >= MAX_YEARS) break
    if (!isReadText(part) || part.headings?.some((heading) => pastSection.test(heading)) === true) continue
    if (part.kind === 'cell' && part.label !== undefined && reviewColumn.test(part.label)) {
      const found = /\b(?:19|20)\d\d\b/.exec(part.text)
      if (found !== null) add(part, found.index, found.index + 4, 'last reviewed', Number(found[0]))
    }
    for (const { line, at } of linesOf(part.text)) {
      for (const match of line.matchAll(presentYear)) {
        const [whole, words = '', between = '', year = ''] = match
        if (notPresent.test(between)) continue
        add(part, at + match.index, at + match.index + whole.length, words, Number(year))
      }
    }
  }
  return marks.values().take(MAX_YEARS).toArray()
}

/** Length of leading punctuation and whitespace. */
const leadOf = (text: string) => /^[:|(–— -]*/.exec(text)?.[0].length ?? 0

function* linesOf(text: string): Generator<{ line: string; at: number }> {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf('\n', at)
    const end = next < 0 ? text.length : next
    for (let from = at; from < end; from += MAX_LINE_LENGTH) {
      yield { line: text.slice(from, Math.min(end, from + MAX_LINE_LENGTH)).trimEnd(), at: from }
    }
    at = end + 1
  }
}

function toPlace(document: AssayDocument, part: Part, start: number, end: number): TextSpan {
  return {
    path: part.path,
    ...(findLineColumn(document, part, start) ?? {}),
    start: toSourceOffset(part, start),
    end: toSourceOffset(part, Math.max(start, end - 1)) + 1,
  }
}
