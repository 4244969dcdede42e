import { withoutTail } from '../text.ts'
import { readValue } from './assignments.ts'
import { chosenConfidence, isMadeUp, isPhrase, lineAround, toChosen } from './chosen.ts'
import type { Found, SearchProgress } from './found.ts'
import { kindOfKey, kindOfLabel, namesEither } from './keys.ts'
import { factory, insteadOfValue, phraseLabel, spacedRemark } from './statement-words.ts'

type Key = { start: number; end: number }

const describedLink =
  /^["'*_`)\]]{0,3}((?:[ \t]\([^()\n]{1,40}\)|,?[ \t][\p{L}\p{M}\d][^\s:=|,()]{0,24}){0,8}?)["'*_`]{0,3}(?:[ \t]{0,4}(?:[:：](?!\/\/)|={1,2}|→|->|=>)|[ \t]{1,4}[–—-](?=[ \t]))[ \t*_]{0,8}/u
const anySign = /[:：=→–—-]|->/
/** What distinguishes a value from the words of a sentence. */
const mayStandOut = /[\p{Lu}\d"'„“«»‘*_`]/u
const verbLink =
  /^((?:[ \t][\p{L}\p{M}\d][^\s:=|.]{0,24}){0,6}?)[ \t](?:is|was|remains|ist|lautet|bleibt|heißt|est|reste|es|sigue siendo|è|resta|é|continua sendo|continua|fica|luidt|blijft|to|jest|brzmi)(?:[ \t](?:still|now|again|nog|steeds|noch|immer|weiterhin|jetzt|nun|toujours|encore|ahora|aún|todavía|ancora|sempre|ainda|agora|nu|nadal|teraz))*[ \t][*_]{0,3}/iu
const besideLink =
  /^(?:[ \t](?:still|now|again|nog|steeds|noch|immer|weiterhin|toujours|encore|ancora|sempre|ainda|nadal))*[ \t]{1,3}[*_]{0,3}/i
const afterValue = /^["'`*_”“»«’]{0,4}[ \t]{0,8}(?:$|[\r\n]|[.,;:!?)\]|#]{1,3}(?=\s|$)|[([<]|[–—|→][ \t])/
const codeLine =
  /[{}]|;[ \t]*$|=>|\w\(|^[ \t]*(?:\$|#include|@)|\b(?:const|let|var|def|function|return|import|class|elif)\b|[!=]==?[ \t]|<\/?[a-z]|&&|\|\|/i
const connection = /(?:^|[;\s"])(?:server|host|data source|uid|user(?: id)?|database)[ \t]?=[^;]{1,80};/i
const settingLine = /^[ \t>-]{0,12}[\w.-]{1,60}[ \t]{0,8}[:=][ \t]{0,8}[^\s"'`,;(){}[\]<>]{1,64}[ \t]{0,4}$/
const asLabel = /(?:^|\s)(?:als|as|jako|como|come|comme)[ \t]$/i
const afterAs = /^(?:[ \t]\p{L}{2,12}){0,2}?[ \t](?=[^\s\d]{0,40}\d)[*_]{0,3}/u
const policyBefore =
  /(?:politi\p{L}{1,8}|polity\p{L}{1,8}|polít\p{L}{1,8}|policy|rules?|regeln?|règles?|richtlinien?|reglas?|regole|beleid|zasady|gestor|managers?)[ \t](?:de|du|das|delle|della|of|für|di|do|voor|la|le|el)?[ \t]?$/iu
const loginWord = /user|login|benutzer|konto|account|utilis|usuar|usuár|utente|gebruik|użytk/i
const answerOfChat = /^[ \t]*[^\n:?]{1,24}[:>][ \t]{1,2}([^\s"'`<>]{4,64})[ \t]{0,4}$/

/** The value that a person chose and wrote behind, below or beside a label. */
export function readStated(text: string, key: Key, kind: 'password' | 'token'): Found | undefined {
  const name = text.slice(key.start, key.end)
  if (/["'$@<{[\\/?&%=+]/.test(text.charAt(key.start - 1)) || /[([{$/\\<>?]/.test(text.charAt(key.end)))
    return undefined
  if (kind === 'token' && !namesEither(name)) return undefined
  const line = lineAround(text, key.start)
  if (!isStatement(line.text, name)) return undefined
  const isPass = /^pass$/i.test(name)
  const before = line.text.slice(0, key.start - line.start)
  if (policyBefore.test(before) || (isPass && !loginWord.test(line.text))) return undefined
  const rest = text.slice(key.end, line.end)
  const described = anySign.test(rest) ? describedLink.exec(rest) : null
  const maySay = !isPass && mayStandOut.test(rest)
  const reads = [
    described === null || insteadOfValue.test(described[1] ?? '') ? undefined : described[0].length,
    maySay && kind === 'password' ? verbLink.exec(rest)?.[0].length : undefined,
    maySay ? (asLabel.test(before) ? afterAs : besideLink).exec(rest)?.[0].length : undefined,
  ]
  for (const [index, length] of reads.entries()) {
    if (length === undefined) continue
    const link = (['sign', 'verb', 'beside'] as const)[index] ?? 'beside'
    const value = readChosen(text, key.end + length, link, before, line)
    const confidence = value === undefined ? 0 : isPhrase(value.value) ? 0.7 : chosenConfidence(value.value)
    if (confidence < 0.7 && /words$/i.test(name)) continue
    if (value === undefined || confidence === 0 || (kind === 'token' && !isMadeUp(value.value) && !value.marked))
      continue
    return toPassword(line.text, value, confidence, link)
  }
  if (isPass || kind === 'token') return undefined
  return readBefore(before, line.start) ?? readAnswer(text, line)
}

const givenAs =
  /(?<![^\s"'„“«`*(])([\p{L}\d][^\s"'”“»«`*,;()<>]{5,63})["'”“»`*]{0,3}[ \t](?:as|als|comme|como|come|jako)(?:[ \t](?:the|das|le|la|el|il|o|a|het))?[ \t]$/iu

/** `Use … as the password`. */
function readBefore(before: string, start: number): Found | undefined {
  const found = givenAs.exec(before)
  const value = found?.[1] ?? ''
  if (found === null || !isMadeUp(value) || chosenConfidence(value) === 0) return undefined
  return toChosen('PASSWORD', start + found.index, value, 'before', 0.7)
}

/** The answer, on the next line, to a question that names the label. */
function readAnswer(text: string, line: { text: string; end: number }): Found | undefined {
  if (!/\?[ \t]*$/.test(line.text)) return undefined
  const next = lineAround(text, text.slice(line.end, line.end + 2).lastIndexOf('\n') + line.end + 1)
  const value = answerOfChat.exec(next.text)?.[1]?.replace(/[.,;!]$/, '') ?? ''
  const confidence = chosenConfidence(value)
  if (confidence === 0) return undefined
  return toChosen('PASSWORD', next.start + next.text.lastIndexOf(value), value, 'answer', confidence)
}

const toPassword = (
  line: string,
  { start, value }: { start: number; value: string },
  confidence: number,
  rule: string,
) => toChosen(factory.test(line) ? 'DEFAULT_CREDENTIAL' : 'PASSWORD', start, value, rule, confidence)

/** Whether a label is in prose, a list or a settings file, not in code. */
function isStatement(line: string, name: string): boolean {
  if (connection.test(line)) return true
  if (codeLine.test(line)) return false
  return settingLine.test(line) || !/[\w)][._][\w(]|\p{Ll}\p{Lu}|^-/u.test(name)
}

interface Chosen {
  start: number
  value: string
  marked: boolean
}

function readChosen(
  text: string,
  at: number,
  link: 'sign' | 'verb' | 'beside',
  before: string,
  line: { start: number; text: string; end: number },
): Chosen | undefined {
  const lead = text.slice(line.start, at)
  const isWhole = phraseLabel.test(lead) || spacedRemark.test(lead)
  const read = readValue(text, at, 'described')
  if (read === undefined || read.start > line.end + 120) return undefined
  const { start, end, value, quoted } = read
  const isStrong = /\*\*$|__$/.test(text.slice(at - 2, start))
  const marked = (quoted && text.charAt(start - 1) !== '`') || isStrong
  const bare = quoted ? value : value.replace(/[*_]{1,2}$/, '').replace(/^\p{L}+[!?]$/u, (word) => word.slice(0, -1))
  if (quoted && /\s/.test(value)) return isPhrase(value) && isWhole ? { start, value, marked } : undefined
  if (isWhole && !quoted && link === 'sign') {
    const [own = ''] = text.slice(start, lineAround(text, start).end).split(' (', 1)
    const whole = withoutTail(own, ' \t.;')
    if (isPhrase(whole)) return { start, value: whole, marked }
  }
  const isLast = afterValue.test(text.slice(start + bare.length, start + bare.length + 12)) || end >= text.length
  const isMade = isMadeUp(bare) && (text.charAt(start - 1) !== '`' || /\d/.test(bare))
  if (link === 'sign') return isLast || isMade || marked ? { start, value: bare, marked } : undefined
  const isNamed = isLast && /^\p{Lu}\p{Ll}{3,}/u.test(bare) && startsLower(before)
  return isMade || marked || isNamed ? { start, value: bare, marked } : undefined
}

/** A capital distinguishes a value from other words if the word before the label has none. */
const startsLower = (before: string) => /(?:^|\s)\p{Ll}[\p{L}\p{M}'’]{1,30}[ \t,]{1,2}$|[,;(][ \t]?$/u.test(before)

const networkKey =
  /(?<![\p{L}\d_])(?:netzwerk)?(?:key|schlüssel|clé|clef|clave|chiave|chave|sleutel|klucz|code|kod)(?:[ \t]\([^()\n]{1,30}\))?[ \t]{0,2}(?:[:=–→]|[ \t]-[ \t]|is|ist|est|es|è|é|to)[ \t]{0,3}/giu

/** The key of a wireless network, on its line or one of the next. */
export function* findNetworkKey(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const line = lineAround(text, at)
  progress.readFrom = line.end
  if (codeLine.test(line.text)) return
  const window = text.slice(at, line.end + 120).split(/\n[ \t]*\n/, 1)[0] ?? ''
  for (const found of window.matchAll(networkKey)) {
    const value = readChosen(
      text,
      at + found.index + found[0].length,
      'sign',
      'key',
      lineAround(text, at + found.index),
    )
    const confidence = value === undefined ? 0 : chosenConfidence(value.value)
    if (value !== undefined && confidence > 0) yield toChosen('PASSWORD', value.start, value.value, 'wifi', confidence)
  }
}

const community =
  /^\p{L}{0,4}(?:[- ](?:strings?|names?|ro|rw|read|read-only|write|lesend|lesen|lecture|lectura|lettura|leitura|lezen|odczytu|odczyt|zapisu|de|en|di|in|do|snmp|v2c|v2|\([^()\n]{1,24}\)))*[ \t]{0,2}(?:[:=–→][ \t]{0,3}|[ \t](?:is|ist|est|es|è|é|to)[ \t]|[ \t])(?:["'„“«`*]{0,3})/iu

/** The community string of SNMP, which is its password. */
export function* findCommunity(text: string, at: number): Generator<Found> {
  const line = lineAround(text, at)
  if (!/snmp|\bv2c\b/i.test(line.text) || codeLine.test(line.text)) return
  const stem = /^\p{L}+/u.exec(text.slice(at, at + 24))?.[0].length ?? 0
  const lead = community.exec(text.slice(at + stem, line.end))
  const value = lead === null ? undefined : readChosen(text, at + stem + lead[0].length, 'sign', '', line)
  const confidence = value === undefined ? 0 : chosenConfidence(value.value)
  if (value === undefined || confidence === 0) return
  const type = /^(?:public|private)$/.test(value.value) ? 'DEFAULT_CREDENTIAL' : 'PASSWORD'
  yield toChosen(type, value.start, value.value, 'snmp', confidence)
}

const answerLead =
  /(?:antwort|answer|réponse|respuesta|risposta|resposta|antwoord|odpowiedź)[ \t]{0,2}[:=–-][ \t]{0,3}|→[ \t]{0,2}/giu

/** The answer to a security question, on its line or the next. */
export function* findSecurityAnswer(text: string, at: number): Generator<Found> {
  const line = lineAround(text, at)
  const window = text.slice(at, line.end + 120)
  for (const found of window.matchAll(answerLead)) {
    const start = at + found.index + found[0].length
    const own = lineAround(text, start)
    const value = text
      .slice(start, own.end)
      .replace(/["'„“”«».]/g, '')
      .trim()
    if (!isAnswer(value)) continue
    yield toChosen('PASSWORD', text.indexOf(value, start), value, 'question', 0.6)
    return
  }
}

const isAnswer = (value: string) =>
  /\s/.test(value) ? isPhrase(value) && value.split(' ').length <= 3 : chosenConfidence(value) > 0

const pairAfter = /(?<![\w/.:@])(\p{L}[\w.@-]{1,40})(?=([ \t]?[/|:][ \t]?)([^\s/|,;:()<>"'`]{3,40})(?:[\s.,;)!]|$))/gu
const labelPair =
  /(?:user|login|benutzer|konto|identifiant|utilisateur|usuario|usuário|utente|gebruiker|użytkownik|account|name)\p{L}{0,10}[ \t]?[/+&|][ \t]?(\p{L}[\p{L} ]{1,20})[ \t]?[:=–-][ \t]{0,4}$/iu
const loginBefore =
  /(?:login|logins|account|konto|zugang|compte|cuenta|acceso|accesso|conta|acesso|toegang|konto|dostęp)(?:[ \t](?:was|is|war|ist|était|est|es|era|è|é|was|to))?[ \t:=]{1,3}$/i

/** A login and its password on one line, where the text says that they are those of the factory or of an account. */
export function* findGivenPair(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const line = lineAround(text, at)
  progress.readFrom = line.end
  if (!/[/|:]/.test(line.text) || codeLine.test(line.text.replace(/<!--|-->/g, ''))) return
  for (const { 1: user = '', 2: sign = '', 3: value = '', index } of line.text.matchAll(pairAfter)) {
    const before = line.text.slice(0, index)
    const isFactory = factory.test(before)
    const isLabelled = kindOfKey(labelPair.exec(before)?.[1] ?? '') === 'password'
    const isLogin = (sign === ':' || (sign !== '/' && isMadeUp(value))) && loginBefore.test(before)
    if (!isFactory && !isLabelled && !isLogin) continue
    if ((sign.includes(':') && kindOfLabel(user) !== undefined) || /^https?$/i.test(user)) continue
    const confidence = isFactory && value.toLowerCase() === user.toLowerCase() ? 0.7 : chosenConfidence(value)
    if (confidence === 0) continue
    const type = isFactory ? 'DEFAULT_CREDENTIAL' : 'PASSWORD'
    yield toChosen(type, line.start + index + user.length + sign.length, value, 'pair', confidence)
    return
  }
}

const andThen =
  /(?:^|[\s,])(?:and|und|et|y|e|en|i|then|dann|puis|luego|poi|depois|dan|potem)((?:[ \t]\p{L}[\p{L}\p{M}]{0,14}){0,4}?)[ \t]["'„“«`*]{0,3}(?=[^\s\d]{0,40}\d)([\p{L}\d][^\s"'”“»«`*,;()<>]{5,63})(?=["'”“»«`*]{0,3}(?:[.,;!)(]|[ \t]{0,8}$|[ \t]\())/giu
const enters =
  /type|enter|use|pass|pw|geb|gib|tipp|nutz|nimm|verwend|saisi|tap|entr|utilis|escrib|introd|tecle|us[aeo]|digit|inser|immett|mett|insir|vul|typ|gebruik|voer|wpisz|wpisać|poda|użyj|has[łl]|contras|senh|wachtw|mot/i
const have =
  /(?<!\p{L})(?:have|has|haben|hat|ont|a|tienen|tiene|hanno|ha|têm|tem|hebben|heeft|mają|ma)[ \t]["'„“«`*]{0,3}([\p{L}\d][^\s"'”“»«`*,;()<>]{5,63})/giu

/** The password of a sentence that says how to log in, or what accounts have. */
export function* findLoginSentence(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const line = lineAround(text, at)
  progress.readFrom = line.end
  const window = text.slice(at, line.end)
  const pattern = /^(?:account|konten|\p{L}{0,20}kont|compte|cuenta|conta)/iu.test(window) ? have : andThen
  if ((pattern === andThen && !/\d/.test(window)) || codeLine.test(line.text)) return
  for (const found of window.matchAll(pattern)) {
    if (pattern === andThen && found[1] !== '' && !enters.test(found[1] ?? '')) continue
    const value = withoutTail(found.at(-1) ?? '', '.!?:')
    if (!isMadeUp(value) || chosenConfidence(value) === 0) continue
    yield toChosen('PASSWORD', at + found.index + found[0].lastIndexOf(value), value, 'login', 0.7)
    return
  }
}

const opened =
  /^\p{L}{0,12}(?:[ \t](?:it|sich|es|lo|la|le|o|a))?[ \t](?:with|using|mit|avec|con|com|met|hasłem|kodem|przez)[ \t]["'„“«`*]{0,3}([\p{L}\d][^\s"'”“»«`*,;()<>]{5,63})/iu
const locked =
  /encrypt|protected|locked|zip|verschlüssel|geschützt|chiffr|protég|cifrad|protegid|cifrat|protett|criptograf|versleutel|beveilig|zaszyfrow|chronion/i

/** What an encrypted file was opened with. */
export function* findOpened(text: string, at: number): Generator<Found> {
  const value = withoutTail(opened.exec(text.slice(at, at + 120))?.[1] ?? '', '.!?:')
  if (!isMadeUp(value) || chosenConfidence(value) === 0 || !locked.test(text.slice(Math.max(0, at - 160), at + 60)))
    return
  yield toChosen('PASSWORD', text.indexOf(value, at), value, 'opened', 0.7)
}
