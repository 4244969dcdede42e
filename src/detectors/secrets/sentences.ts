import { withoutTail } from '../text.ts'
import {
  isChosenDotted,
  isCode,
  isPassphrase,
  isStrongPassword,
  isTechnical,
  passwordConfidence,
  tokenConfidence,
} from './guards.ts'
import { isAbout } from './keys.ts'

/** A value that a sentence assigns to a label. */
export interface Spoken {
  start: number
  end: number
  value: string
  confidence: number
}

const MAX_REACH = 200
const MAX_WORDS = 14
const MAX_WORDS_BEFORE = 7
const MIN_TOKEN = 16

/** Verbs and signs that connect a label and its value, in either order. */
const links = new Set(
  (
    'is are was be being remains stays becomes equals still now := : = → – — - | ist sind war lautet lauten bleibt heißt heisst wird nun jetzt weiterhin bitte please veuillez est sont reste sera devient es son sigue siendo será continúa è resta rimane sarà é são continua sendo fica será zijn blijft luidt wordt nog steeds jest to są brzmi pozostaje nadal to: это остаётся остается является по-прежнему теперь är förblir er forbliver forblir on pysyy je zůstává zní nadále je: este rămâne olan olarak adalah là είναι ' +
    '是 为 為 仍然是 就是 叫 は が も 今も です 는 은 이 가 여전히 입니다'
  ).split(' '),
)
/** Function words between a verb of change and the value, or between the value and the label. */
const leads = new Set(
  'to as for with of del della di du de des der von do dos das van auf zu in als für mit par à en comme pour avec a por como para con come per da com op naar voor met na jako do dla z на до как для с от в качестве till til som för for på olarak için ile sang thành'.split(
    ' ',
  ),
)
const changes =
  /chang|reset|set\b|updat|rotat|switch|gesetzt|geändert|zurück|umgestellt|gewechselt|remplac|modifi|réiniti|défini|cambi|estableci|restable|impost|mud|alter|redefin|defin|wijzig|herste|ingesteld|zmien|ustaw|zreset|измен|смен|сброс|установ|ändr|satt|skift|sæt|muut|změn|nastav|değiş|sıfır|schimb/i
const backLinks = new Set(
  'as is for ist als für comme est pour como es para come è per é voor is jako to dla jest как это является качестве — – - = som er är on je este olarak'.split(
    ' ',
  ),
)
const opening = /^[("'`«»„“”‘’‹›「『《【[{<*_]+/
const closing = `)"'\`«»„“”‘’‹›」』》】]}>*_.,;:。，、；：！？`
const pairOf =
  /^(?:"[^"]*"|'[^']*'|`[^`]*`|«.*»|».*«|„.*[“”"]|“.*”|‘.*’|‹.*›|「.*」|『.*』|《.*》|【.*】|\(.*\)|（.*）|\[.*\]|\{.*\}|\*.*\*)/
/** Words of prose, to distinguish it from code. */
const plainWord = /^[("'«„“‘「]?[\p{L}\p{M}\d][\p{L}\p{M}\d'’/@.-]{0,30}[)"'»“”’」]?[,:]?$|^[—–&-]$/u
const spaced = /\S+/g
/** In scripts without spaces, runs of ASCII and of other characters count as words. */
const unspaced = /[!-~]+|[^\s!-~]+/g
/** Scripts whose words are joined, or take their particles. */
const joinedScript = /[\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/
const sentenceEnd = /\.(?=\s)|[!?](?=\s+\p{Lu})|[。！？\n]/u
const sentenceEnds = /\.(?=\s)|[!?](?=\s+\p{Lu})|[。！？\n]/gu
/** `を … に変更しました`: the value comes between the object and the verb. */
const changedTo = /^に(?:変更|設定|変え|改|更新|リセット|戻)/

/** Every value contains a digit, or is a phrase of words separated by a special character. */
const mayHoldValue = /\d|\p{Ll}{3}[-_.]\p{Ll}{3,10}[-_.]\p{Ll}{3,10}[-_.]/u

interface Word {
  raw: string
  core: string
  start: number
  marked: boolean
}

function toWord(raw: string, at: number): Word {
  const lead = opening.exec(raw)?.[0].length ?? 0
  const rest = raw.slice(lead)
  const core = withoutClosing(rest)
  return { raw, core, start: at + lead, marked: lead > 0 && pairOf.test(raw) }
}

/** The text without closing punctuation and quotes; a bracket opened in the value is kept. */
function withoutClosing(text: string): string {
  const core = withoutTail(text, closing)
  return core === text ? text : withoutTail(core, '!?')
}

/** The words between two indexes; negative indexes count from the end. */
function wordsOf(text: string, at: number, isMixed: boolean, from: number, to?: number): Word[] {
  const found: RegExpMatchArray[] = []
  for (const match of text.matchAll(isMixed ? unspaced : spaced)) {
    if (to !== undefined && to >= 0 && found.length >= to) break
    found.push(match)
  }
  return found.slice(from, to).map(({ 0: raw = '', index = 0 }) => toWord(raw, at + index))
}

/** Evidence that a value needs: 3 none, 2 a link to its label, 1 a link and quotes or code; 0: it is not a value. */
function gradeOf(word: string, kind: 'password' | 'token'): number {
  if (isCode(word)) return 0
  if (kind === 'token') {
    const confidence = word.length >= MIN_TOKEN ? tokenConfidence(word, true) : 0
    return confidence >= 0.7 ? 2 : confidence > 0 ? 1 : 0
  }
  if (/^[A-Za-z]*$/.test(word)) return 0
  if (isPassphrase(word)) return 1
  if (
    word.length < 6 ||
    /^-|\\|^#/.test(word) ||
    (isTechnical(word) && !isChosenDotted(word)) ||
    passwordConfidence(word, false, true) === 0
  )
    return 0
  return isStrongPassword(word) ? 3 : 2
}

/** Letters of both cases and at least two consecutive digits. */
const isMixedCase = (value: string) => /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d{2}/.test(value)

/** Whether the words after a label make it one about a secret: `password policy`, `clave pública`. */
export function isAboutSecret(text: string, end: number): boolean {
  const following = /^[ \t]\S{1,30}(?:[ \t]\S{1,30}){0,2}/.exec(text.slice(end, end + 100))?.[0] ?? ''
  for (const word of following.toLowerCase().trim().split(/[ \t]/)) {
    if (/^[([]/.test(word)) return false
    const core = toWord(word, 0).core
    if (links.has(word) || leads.has(word)) return false
    if (isAbout(core) && !changes.test(core)) return true
    if (core !== word) return false
  }
  return false
}

/** A value in the same sentence, after or before its label. */
export function findSpoken(
  text: string,
  label: { start: number; end: number },
  kind: 'password' | 'token',
): Spoken | undefined {
  return findAfter(text, label.end, kind) ?? findBefore(text, label.start, kind)
}

function findAfter(text: string, end: number, kind: 'password' | 'token'): Spoken | undefined {
  const window = text.slice(end, end + MAX_REACH)
  const stop = sentenceEnd.exec(window)
  const sentence = stop === null ? window : window.slice(0, stop.index)
  if (!mayHoldValue.test(sentence)) return undefined
  const isMixed = joinedScript.test(text.slice(Math.max(0, end - 4), end)) || joinedScript.test(sentence)
  const words = wordsOf(sentence, end, isMixed, 0, MAX_WORDS + 1)
  let linked = -1
  for (const [index, word] of words.slice(0, MAX_WORDS).entries()) {
    const grade = gradeOf(word.core, kind)
    const adjacent = index - linked <= 1
    const beside = index === 0 && (/^[\s"'`([{«„“‘「『（]/.test(sentence) || isMixed)
    const isGiven = linked >= 0 && index - linked <= (isMixedCase(word.core) ? 4 : 2)
    const isEnough =
      (grade === 3 && index <= 10) ||
      (grade >= 2 && (isGiven || beside || (word.marked && index <= 6))) ||
      (grade >= 2 && words[index - 1]?.raw.endsWith('を') && changedTo.test(words[index + 1]?.raw ?? '')) ||
      (grade >= 1 && ((linked >= 0 && adjacent) || (beside && word.marked)))
    if (grade > 0 && isEnough && fitsSentence(words[index + 1])) return toSpoken(word, grade, isGiven || word.marked)
    const lower = word.raw.toLowerCase().replace(/[,;]$/, '')
    if (word.core === '' || links.has(lower) || /[:=：]$/.test(word.raw) || (isMixed && isLinkRun(word.raw)))
      linked = index
    else if (leads.has(lower) && changes.test(sentence)) linked = index
    else if (!plainWord.test(word.raw) && !isMixed) return undefined
  }
  return undefined
}

/** Whether a run without spaces contains a linking verb or particle near its end. */
const isLinkRun = (run: string) => /[是为為：:は「『“（]|改|設定|设置|변경|설정|는|은|를|로/.test(run.slice(-8))

function findBefore(text: string, start: number, kind: 'password' | 'token'): Spoken | undefined {
  const window = text.slice(Math.max(0, start - MAX_REACH), start)
  const from = Math.max(0, start - MAX_REACH)
  const stop = Math.max(...[...window.matchAll(sentenceEnds)].map(({ index }) => index + 1), 0)
  const sentence = window.slice(stop)
  if (!mayHoldValue.test(sentence)) return undefined
  const isMixed = joinedScript.test(text.slice(start, start + 4)) || joinedScript.test(sentence)
  const isGlued = !isMixed && !/\s$/.test(sentence)
  const words = wordsOf(sentence, from + stop, isMixed, -MAX_WORDS_BEFORE, isGlued ? -1 : undefined).reverse()
  let linked = false
  for (const [index, word] of words.entries()) {
    const grade = gradeOf(word.core, kind)
    const isWhole = from === 0 || word.start > from
    const isEnough = grade === 3 ? index > 0 : grade === 2 && (linked || (word.marked && index <= 2))
    if (isEnough && isWhole) return toSpoken(word, grade, linked)
    const lower = word.raw.toLowerCase()
    linked ||= backLinks.has(lower) || (isMixed && /[作为是を가이가がの를로]/.test(word.raw))
    if (!plainWord.test(word.raw) && !isMixed) return undefined
  }
  return undefined
}

/** A sentence does not continue with an operator. */
const fitsSentence = (next: Word | undefined) =>
  next === undefined || !/^(?:[=+&|<>?]{1,3}|[({])/.test(next.raw) || /^\(\p{L}/u.test(next.raw)

function toSpoken({ core, start }: Word, grade: number, given: boolean): Spoken {
  return {
    start,
    end: start + core.length,
    value: core,
    confidence: grade === 3 || (grade === 2 && given) ? 0.85 : 0.8,
  }
}
