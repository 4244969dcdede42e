/** The words of a text with what stands between them; offsets are into the text. */
export interface Words {
  text: string
  words: readonly string[]
  starts: readonly number[]
  ends: readonly number[]
  /** 1 where a word goes on where the one before it ended. */
  joined: Uint8Array
}

/** A wording over whole words. */
export interface Phrase {
  /** Words of which one stands in every text that it holds in: the rarest that it has. */
  anchors: readonly string[]
  /** Words that it can begin with; a stem ends in `*`. */
  openings: readonly string[]
  /** The index behind its last word where it holds from a word on, else -1. */
  match(words: Words, from: number): number
}

/** Goes on from a word; `from` is where the wording began. */
type Step = (words: Words, at: number, from: number, next: (at: number) => number) => number

const wordSigns = /[a-z0-9\u00c0-\uffff]+(?:['’][a-z]{1,2}(?![a-z]))?/g
/** What may stand between two words of one wording: blanks, and the marks that people put in to hide it. */
const LONGEST_GAP = 4
const joint = /^(?!.?;\s)[\s_*"'’“”~.,:;!/()\x60-]{1,4}$/

export function toWords(text: string): Words {
  const words: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  for (const { 0: word, index } of text.matchAll(wordSigns)) {
    words.push(word.replace(/['’]/, ''))
    starts.push(index)
    ends.push(index + word.length)
  }
  const joined = new Uint8Array(words.length)
  for (let at = 1; at < words.length; at++) {
    const [end = 0, start = 0] = [ends[at - 1], starts[at]]
    if (text.charCodeAt(end) === 32 && start === end + 1) joined[at] = 1
    else if (start - end <= LONGEST_GAP && joint.test(text.slice(end, start))) joined[at] = 1
  }
  return { text, words, starts, ends, joined }
}

/** The first word of a wording goes on from nothing. */
const isJoined = ({ joined }: Words, at: number, from: number) => at === from || joined[at] === 1

/**
 * Reads a wording: words in a row; `(a|b_c)` one of them, `_` joining the words of a phrase; `{name}` one of a
 * vocabulary; `..3` up to three words of any kind; `stem*`; a trailing `?` for what may be missing; `!(a|b)` for what
 * must not follow; `^` for the start of a line; `:` for a colon; `@` for a mail or host address next. Matching costs a
 * bounded number of steps a word.
 */
export function phrase(source: string, vocabulary: Readonly<Record<string, string>> = {}): Phrase {
  const terms = source.split(' ')
  const steps = terms.map((term) => toStep(term, vocabulary))
  const run = (words: Words, at: number, from: number, index: number): number => {
    const step = steps[index]
    return step === undefined ? at : step(words, at, from, (reached) => run(words, reached, from, index + 1))
  }
  const leading = terms.slice(0, terms.findIndex((term) => term !== '^' && !term.endsWith('?')) + 1)
  return {
    anchors: anchorsOf(terms, vocabulary),
    openings: leading
      .filter((term) => term !== '^')
      .flatMap((term) => alternativesOf(term, vocabulary).map(([word = '']) => word)),
    match: (words, from) => run(words, from, from, 0),
  }
}

/** Of the terms that must be there, the one whose shortest alternative is longest. */
function anchorsOf(terms: readonly string[], vocabulary: Readonly<Record<string, string>>): string[] {
  const candidates = terms
    .filter((term) => !/^(?:[\^:@]|!.*|\.\..*)$/.test(term) && !term.endsWith('?'))
    .map((term) =>
      alternativesOf(term, vocabulary).map((words) =>
        [...words]
          .map((word) => word.replace('*', ''))
          .reduce((longest, word) => (word.length > longest.length ? word : longest), ''),
      ),
    )
  const [best = []] = candidates.sort(
    (a, b) => Math.min(...b.map((word) => word.length)) - Math.min(...a.map((word) => word.length)),
  )
  return [...new Set(best)]
}

function toStep(term: string, vocabulary: Readonly<Record<string, string>>): Step {
  if (term === '^') return (words, at, _from, next) => (startsLine(words, at) ? next(at) : -1)
  if (term === ':') return (words, at, _from, next) => (isColon(words, at) ? next(at) : -1)
  if (term === '@') return (words, at, _from, next) => (isAddressed(words, at) ? next(at) : -1)
  if (term.startsWith('..')) return toSkip(Number(term.slice(2)))
  if (term.startsWith('!')) {
    const excluded = alternativesOf(term.slice(1), vocabulary)
    return (words, at, from, next) => (excluded.some((option) => follows(words, at, from, option)) ? -1 : next(at))
  }
  const optional = term.endsWith('?')
  const options = alternativesOf(optional ? term.slice(0, -1) : term, vocabulary)
  const plain = new Set(
    options.filter(([word = '', ...more]) => more.length === 0 && !word.endsWith('*')).map(([word]) => word),
  )
  const others = options.filter(([word = '', ...more]) => more.length > 0 || word.endsWith('*'))
  return (words, at, from, next) => {
    if (plain.has(words.words[at] ?? '') && isJoined(words, at, from)) {
      const reached = next(at + 1)
      if (reached >= 0) return reached
    }
    for (const option of others) {
      if (!follows(words, at, from, option)) continue
      const reached = next(at + option.length)
      if (reached >= 0) return reached
    }
    return optional ? next(at) : -1
  }
}

function toSkip(most: number): Step {
  return (words, at, from, next) => {
    for (let skipped = 0; skipped <= most; skipped++) {
      if (skipped > 0 && (at + skipped > words.words.length || !isJoined(words, at + skipped - 1, from))) return -1
      const reached = next(at + skipped)
      if (reached >= 0) return reached
    }
    return -1
  }
}

/** The words of each alternative of `word`, `(a|b_c)` or `{name}`. */
function alternativesOf(term: string, vocabulary: Readonly<Record<string, string>>): string[][] {
  const bare = term.replace(/\?$/, '')
  if (bare.startsWith('{')) {
    const named = vocabulary[bare.slice(1, -1)]
    if (named === undefined) throw new Error(`A wording names the unknown vocabulary ${bare}.`)
    return named.split(' ').map((option) => option.split('_'))
  }
  if (bare.startsWith('(') !== bare.endsWith(')')) throw new Error(`A wording has a broken term: ${bare}.`)
  const inner = bare.startsWith('(') ? bare.slice(1, -1) : bare
  return inner.split('|').map((option) => option.split('_'))
}

function follows(words: Words, at: number, from: number, option: readonly string[]): boolean {
  return option.every((wanted, offset) => {
    const word = words.words[at + offset]
    if (word === undefined || !isJoined(words, at + offset, from)) return false
    return wanted.endsWith('*') ? word.startsWith(wanted.slice(0, -1)) : word === wanted
  })
}

function startsLine({ text, starts }: Words, at: number): boolean {
  const start = starts[at] ?? 0
  return /(?:^|[\n>|.!?"'(])[^\w\n]{0,8}$/.test(text.slice(Math.max(0, start - 12), start))
}

function isColon({ text, ends }: Words, at: number): boolean {
  const end = ends[at - 1] ?? 0
  return /^["'*_)\s]{0,2}:/.test(text.slice(end, end + 3))
}

const mailAddress = /^\s{1,3}<?[\w.+-]{1,40}@/
const hostAddress = /^\s{1,3}[\w-]{2,20}\.(?:example|site|ru|xyz|tk)\b/

function isAddressed({ text, ends }: Words, at: number): boolean {
  const end = ends[at - 1] ?? 0
  const next = text.slice(end, end + 60)
  return mailAddress.test(next) || hostAddress.test(next)
}
