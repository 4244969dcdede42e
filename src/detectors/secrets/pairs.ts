import { withoutTail } from '../text.ts'
import type { Found } from './found.ts'
import { isCode, isMixed, isReference, isStrongPassword, isTechnical, passwordConfidence } from './guards.ts'
import { kindOfLabel } from './keys.ts'

const MAX_REACH = 160
const MAX_BEFORE = 80
/** Text between a login label and the name: more words, words on both sides of a slash, a sign. */
const nameAndPassword =
  /(?<![\w.@\\/-])([A-Za-z][\w.@\\-]{1,40})(?:[ \t]{0,2}[/|:][ \t]{0,2}|[ \t]{0,2}(?:，|、|,)[ \t]{0,2}|[ \t]{1,2}(?:and|und|et|y|e|en|i|и|och|og|ja|a|ve|with|mit|avec|con|com|met|z|с|と|和|과|와)[ \t]{1,2}|[ \t]{1,4})([^\s|"“”„«»「」'`]{6,64})/giu
/** Scripts without spaces, or with particles attached to words. */
const joinedScript = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]/
const closing = '.,;:!?)]}。，、'
/** Values contain no Chinese, Japanese or Korean characters; at such a character the sentence continues. */
const sentence = /[\u3000-\ud7af\uff00-\uffef]/u
/** Only words, not code, may be between the label and the name. */
const betweenWords = /^[\p{L}\p{M}\p{N}\s"'„“«»()[\]/&:：=|*_`,，、.@\\–—→-]{0,60}$/u
/** Roles and groups named beside a user, and other words written with a slash. */
const other =
  /^(?:https?|ftp|role|rolle|group|gruppe|email|mail|version|v\d|api|see|siehe|voir|ver|vedi|zie|zob|page|seite)$/i

/** `credentials: bob / …`, `log in with admin and …`, `ID/PW: root/…`: a name and a password behind one label. */
export function* findPair(text: string, at: number): Generator<Found> {
  if (!/\d/.test(text.slice(Math.max(0, at - MAX_BEFORE), at + MAX_REACH))) return
  const isJoined = joinedScript.test(text.charAt(at))
  if (!isJoined && kindOfLabel(labelAt(text, at)) === undefined) return
  const [line = ''] = text.slice(at, at + MAX_REACH).split('\n', 1)
  if (text.charAt(at - 1) === '/' && /^\w+\//.test(line)) return
  yield* pairIn(line, at)
  // In languages with the verb at the end, the pair precedes the verb.
  if (!isJoined) return
  const reach = Math.max(0, at - MAX_BEFORE)
  const from = reach + text.slice(reach, at).lastIndexOf('\n') + 1
  yield* pairIn(text.slice(from, at), from)
}

function* pairIn(line: string, offset: number): Generator<Found> {
  nameAndPassword.lastIndex = 0
  for (let found = nameAndPassword.exec(line); found !== null; found = nameAndPassword.exec(line)) {
    const [whole, user = '', raw = ''] = found
    nameAndPassword.lastIndex = found.index + user.length
    if (!betweenWords.test(line.slice(0, found.index))) return
    const value = withoutTail(raw.split(sentence, 1)[0] ?? '', closing)
    if (other.test(user) || !isGivenPassword(value) || value.toLowerCase().includes(user.toLowerCase())) continue
    const start = offset + found.index + whole.length - raw.length
    yield toPassword(start, value, 0.85)
    return
  }
}

/** A mix of characters that only a password has after a name and a slash. */
export const isGivenPassword = (value: string) =>
  value.length >= 6 &&
  /\d/.test(value) &&
  !isCode(value) &&
  !/^#|[{}]|^\d{2,5}\//.test(value) &&
  !/#v?\d{1,4}\.\d/.test(value) &&
  !/@[\w-]+(?:[.:/]|$)|@\]|\\|^-|[?&]\w+=/.test(value) &&
  (isStrongPassword(value) ||
    (isMixed(value) && !isTechnical(value) && !isReference(value, false) && passwordConfidence(value, false, true) > 0))

const toPassword = (start: number, value: string, confidence: number): Found => {
  return { type: 'PASSWORD', start, end: start + value.length, severity: 'MEDIUM', confidence, value, rule: 'pair' }
}

const wordsBefore = /(?<=([\p{L}\p{M}]{0,20}[ ]?[\p{L}\p{M}]{0,20}))/uy

/** The word that contains the stem, with the word before it. */
function labelAt(text: string, at: number): string {
  wordsBefore.lastIndex = at
  const before = wordsBefore.exec(text)?.[1] ?? ''
  const after = /^[\p{L}\p{M}\d ]{0,30}/u.exec(text.slice(at, at + 30))?.[0] ?? ''
  return `${before}${after.split(/ {2}/, 1)[0] ?? ''}`
}
