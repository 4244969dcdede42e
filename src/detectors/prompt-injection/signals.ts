import { joinRanges, type Range } from '../../kernel/ranges.ts'
import { createKeywordIndex } from '../keyword-index.ts'
import { isWordCode } from '../text.ts'
import type { CanonicalText } from './canonical.ts'
import type { Signal } from './clusters.ts'
import { findForeign } from './languages.ts'
import { findDisguised } from './obfuscation.ts'
import { type Phrase, toWords } from './phrase.ts'
import type { InjectionRule } from './rule.ts'
import { injectionRules } from './rules.ts'

/** How far around an anchor or a trigger a rule looks. */
const BEFORE = 200
const AFTER = 400

/** One way in which a rule can hold. */
interface Form {
  rule: InjectionRule
  phrase?: Phrase
}

const forms: readonly Form[] = injectionRules.flatMap((rule) => [
  ...(rule.phrases ?? []).map((phrase): Form => ({ rule, phrase })),
  ...(rule.pattern === undefined ? [] : [{ rule }]),
])
const keysOf = ({ rule, phrase }: Form) => phrase?.anchors ?? rule.triggers ?? []
const keywords = [...new Set(forms.flatMap(keysOf))]
const formsOf = keywords.map((keyword) => forms.filter((form) => keysOf(form).includes(keyword)))
const index = createKeywordIndex(keywords)

/** Everything in a text that tries to steer a machine, weak and strong, with offsets into the original. */
export function findSignals({ text, toOriginal }: CanonicalText, original: string): Signal[] {
  const windows = new Map<Form, Range[]>()
  index.scan(text, (keyword, start, end) => {
    const startsWord = !isWordCode(text.charCodeAt(start - 1))
    for (const form of formsOf[keyword] ?? []) {
      if (form.phrase === undefined || startsWord)
        addWindow(windows, form, start - BEFORE, Math.min(text.length, end + AFTER))
    }
  })
  const found = [...findForeign(text), ...findDisguised(text), ...findForms(text, windows)]
  return found
    .map((signal) => ({ ...signal, start: toOriginal(signal.start), end: toOriginal(signal.end - 1) + 1 }))
    .filter(({ rule, start, end }) => originals.get(rule)?.test(original.slice(start, end)) !== false)
}

const originals = new Map(
  injectionRules.flatMap(({ id, original }): [string, RegExp][] => (original === undefined ? [] : [[id, original]])),
)

function addWindow(windows: Map<Form, Range[]>, form: Form, from: number, end: number): void {
  const ranges = windows.get(form) ?? []
  windows.set(form, ranges)
  const start = Math.max(0, from)
  const last = ranges.at(-1)
  if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
  else ranges.push({ start, end })
}

/** Which forms a word can begin. */
function toOpenings(forms: readonly Form[]) {
  const words = new Map<string, Form[]>()
  const stems: [string, Form][] = []
  for (const form of forms) {
    for (const opening of new Set(form.phrase?.openings)) {
      if (opening.endsWith('*')) stems.push([opening.slice(0, -1), form])
      else words.set(opening, [...(words.get(opening) ?? []), form])
    }
  }
  const stemsOf = (word: string) => stems.filter(([stem]) => word.startsWith(stem)).map(([, form]) => form)
  return { words, stemsOf }
}

function findForms(text: string, windows: ReadonlyMap<Form, readonly Range[]>): Signal[] {
  const signals: Signal[] = []
  const report = ({ id, type, severity, confidence }: InjectionRule, start: number, end: number) =>
    signals.push({ rule: id, type, severity, confidence, start, end })
  const spoken = [...windows].filter(([{ phrase }]) => phrase !== undefined)
  for (const { start, end } of joinRanges(spoken.flatMap(([, ranges]) => ranges))) {
    const words = toWords(text.slice(start, end))
    const present = spoken.filter(([, ranges]) => ranges.some((range) => range.start < end && range.end > start))
    const openings = toOpenings(present.map(([form]) => form))
    for (const [at, word] of words.words.entries()) {
      for (const { rule, phrase } of [...(openings.words.get(word) ?? []), ...openings.stemsOf(word)]) {
        const last = (phrase?.match(words, at) ?? 0) - 1
        if (last >= at) report(rule, start + (words.starts[at] ?? 0), start + (words.ends[last] ?? 0))
      }
    }
  }
  for (const [{ rule, phrase }, ranges] of windows) {
    if (phrase !== undefined || rule.pattern === undefined) continue
    for (const { start, end } of ranges) {
      for (const { 0: match, index: at } of text.slice(start, end).matchAll(rule.pattern)) {
        const blank = match.length - match.trimStart().length
        report(rule, start + at + blank, start + at + match.length)
      }
    }
  }
  return signals
}
