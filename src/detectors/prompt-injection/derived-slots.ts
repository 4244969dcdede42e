import { NEUTRAL, type SlotHit, slotNumber } from './slot-hits.ts'
import type { Tokens } from './tokens.ts'

const {
  machine,
  helper,
  call,
  reading,
  page,
  addressed,
  own,
  self,
  orders,
  bounds,
  prompt,
  given,
  dismiss,
  undo,
  quiet,
  task,
  ownTask,
  ownBounds,
  newTask,
  renewed,
  obey,
  hidden,
  goods,
  marker,
  onward,
  void: invalid,
  send,
  unasked,
  instead,
  everything,
  earlier,
  furtive,
} = slotNumber
/** Maximum distances in characters between related words; MAX_BETWEEN counts words. */
const CALL_REACH = 16
const READER_REACH = 90
const OWN_REACH = 26
const MAX_BETWEEN = 2
const CALL_OPENING = 50
const GIVEN_REACH = 60
const NEGATION_REACH = 12
const PERMISSION_REACH = 120
const ENGLISH = 0
/** An English call this short ("for", "to the") is not enough to take an agent for a machine. */
const SHORT_CALL = 6
/** In "password reset", the credential word only describes a form. */
const ATTRIBUTE_REACH = 12
const attribute = /^[ -](?:resets?|managers?|polic|fields?|forms?|changes?|prompts?|length|rotation|hash)/
/** "Did not report the cut-off points": only a verb whose object is a person speaks of secrecy. */
const CLAUSE_REACH = 48
const NAME_REACH = 44
const listener =
  /^ ?(?:(?:any|the|your|my|our|their|this|that|a|an|other|end) ?){0,2}(?:users?|humans?|person|people|persons|readers?|operators?|owners?|customers?|clients?|employees?|colleagues?|teams?|managers?|admins?|administrators?|boss|staff|recipients?|authors?|reporters?|reviewers?|applicants?|candidates?|patients?|students?|victims?|anyone|anybody|someone|them|they|him|her|us|me|about|of|that|this|what|why|how|where|when)(?![a-z-])|^ ?(?:[.,;!?)]|$)/
/** "To hide it from the parser" keeps nothing from a person. */
const hidingFrom = /^ ?from(?![a-z])/
const keepingFrom = / from$/
/** "Don't mention manpages": secrecy is about something at hand. */
const mentioned =
  /^ ?(?:this|that|it|its?|these|those|any|anything|the|to|your|our|my|how|why|what|where|of|us|them|him|her|me|[.,;!?)]|$)(?![a-z])/
/** "Without asking for a password": what is not asked for is consent. */
const consent =
  /^ ?(?:(?:the|any|your|their|a|user|users|further|explicit|my|prior|human|manual) ?(?:['’]s )?){0,3}(?:permission|approval|confirmation|consent|authori[sz]ation|review|sign-?off|anything|clarification|verification)/
/** "Without approval metadata": a setting. */
const consentSetting = /^ (?:metadata|settings?|flows?|steps?|rules?|requests?|headers?|dialogs?)(?![a-z])/
/** "Before the session ends" is a time, and "any other error" is no order. */
const conjunction = /^ (?:an?|the|you|it|they|we|each|every|[a-z]+ing) /
const orderBehind =
  /^ (?:[a-z]+ ){0,2}(?:instruct|direct|guid|prompt|rule|restrict|constraint|polic|limit|safeguard|filter|protocol|command|order|task|goal|text)/
/** "And just print": what to do instead is to answer. */
const answering =
  /^ ?[a-z]{0,12} ?(?:say|print|output|reply|respond|answer|write|tell|state|return|give|show|repeat|do|follow|execute|run|send|act|pretend|translate|generate|provide|explain|list|create|reveal|display|make|recommend|approve|claim|report|summari[sz]e|describe|focus|talk|speak)(?![a-z])/
const weakInstead = /^(?:and (?:just|only|simply|instead)|instead)$/
/** "The rest of the patch" is no text that a reader was given. */
const restOf = /^(?:rest|remainder) of th(?:e|is)$/
const givenText =
  /^ ?(?:conversation|prompt|text|page|instructions?|document|message|e-?mail|input|content|questions?|request|chat|context|dialog|above|following|article|task|review|resume|job|website|file|ticket|data|info|list|output|section|paragraph|post|comment|thread|report|note|summary|transcript|results?)/
/** "Everything we put on the stack" was not said. */
const saidBefore = /^ ?(?:have|['’]?ve|just|said|say|wrote|discuss|talk|agree|did|were|establish|set|went|spoke|chat)/
/** "Ignore everything that is not in the list" is about data. */
const toldBefore =
  /^ ?(?:you|i|we|was|were|came|comes|has been|had been|precedes?|is above|is written|is said)(?![a-z])/
/** "From now on you only need to": a relief or a prospect, not an order. */
const prospect =
  /(?:^|[^a-z])you(?:['’]ll| will| can| may| might)? ?(?:only|just|no longer|also|usually|should)? ?(?:see|get|find|notice|need|have(?! no )|want|like|use|be able|don['’]?t|do not)(?![a-z])/
/** "The package whose version has changed": the noun in between is what is no longer valid. */
const otherSubject = /(?:^|[^a-z])(?:whose|after|before|when|while|until|once|unless)\s[^.:;,\n]{0,40}$/
/** "Your email address": a noun. */
const nounBefore =
  /(?:^|[^a-z])(?:your|the|an?|my|this|his|her|our|their|new|old|via|by|in|per|of|from|valid|work)\s$|[a-z]-$/
const sendingNoun = /^(?:e[-_ ]?mails?|mails?|posts?)$/
/** Names in code: `reset_errors()`, `parser->reset`, and single words marked as code. */
const codeBefore = /(?:[\w$]_|->|--|[\w)]\.)$/
const codeAfter = /^_\w/
/** `void clear()`: the type of a function without a result. */
const resultType = /^ [\w:*&~]{1,40}\(/
/** In "the assistant manager", the word refers to a person. */
const PERSON_REACH = 16
const person =
  /^s? (?:managers?|professors?|directors?|editors?|coach|principals?|secretar|teachers?|engineers?|developers?|researchers?|scientists?|teams?|users?|experts?|leads?|owners?|vendors?|providers?|students?|sdk|apis?)/
const LIST_REACH = 16
/** "Reasons for using ChatGPT" and "for example Claude" address no one. */
const notCalling = /[a-z]{2}ing\s|example|instance/
// `v`, as in src/kernel/invisible.ts.
const opening = /(?:^|[\n>]|[.!?]\s)[^\p{L}\p{N}\n]{0,6}$/v
const callOpening = /(?:^|[\n>:\(#]|[.!?;]\s)[^\p{L}\p{N}\n]{0,6}(?:\p{L}{1,14}\s){0,3}$/v
/** English forms that stems of other languages include: "the directives are ignored" asks for nothing. */
const stated = /^(?:ignore[ds]|overridden|bypassed)$/
/** "Befolge die Regeln nicht": the negation comes last. */
const DENIAL_REACH = 70
const denial = /^[^.!?\n]{0,60}[^a-z](?:nicht|niet)(?![a-z])/
const possessive = /^(?:your|ur$)/
/** Pronouns of other languages that never own what follows: "vous oublierez les commandes". */
const subjectPronoun =
  /^(?:vous|toi|du|dich|dir|jij|jou|ty|ciebie|tobie|cie|ты|тебя|тебе|тобой|вы|вас|вам|usted|voce|voces|lei)$/
/** "It is silently ignored", "the script will silently remove them": what a program does, not what a reader is asked to do. */
const behaviour =
  /(?:^|[^a-z])(?:is|are|was|were|been|not|it|they|that|which|would|could|can|may|might|(?<!(?:you|agents?|assistants?|ais?|models?|bots?) )will)\s$/
const BEHAVIOUR_REACH = 16
/** `system-update.target`: part of a longer name. */
const nameContinues = /^[-_./]\p{L}/u
const ANNOUNCEMENT_REACH = 70
const announcement = /(?:^|\n)[^\p{L}\p{N}\n]{0,8}(?:end|begin|start) (?:of )?(?:[a-z]{2,14} ){0,4}$/v
const lineOpening = /(?:^|\n)[^\p{L}\p{N}\n]{0,8}$/v
const pause = /[,:;.!?"(]/
const vocative = /^['"*_)\s]{0,2}[,:，：、]/
const negationBefore =
  /(?:(?:^|[^a-z])(?:no|not|never|dont|don['’]t|cannot|can['’]?t|non|nao|nunca|jamais|n['’]|ne|nicht|nie|niemals|niet|inte|ikke|jangan|dung|khong|nu|ala|alkaa)\s?['’]?|не |ніколи |不要?|别|勿|لا |μη |μην |אל |न |อย่า)$/u
const negationAfter =
  /^(?:[a-z]{0,6}(?: sie)? (?:pas|nicht|niet|inte|ikke)(?![a-z])|ma(?:yin)?(?![a-z])|(?:し|られ)?(?:ない|ず)|하지 ?마)/u
const forbidding =
  /(?:^|[^a-z])(?:not|never|don['’]?t|cannot|can['’]?t|nicht|niemals|jamais|nunca|mai|nooit|nigdy)(?![a-z])/

/**
 * Adds slots derived from neighbouring words: who is addressed, and whose instructions are meant. Removes hits whose
 * meaning the surrounding words reverse.
 */
export function addDerived(hits: readonly SlotHit[], tokens: Tokens): SlotHit[] {
  const { text } = tokens
  const derived: SlotHit[] = []
  const kept = hits.filter((hit) => {
    if (hit.slot === dismiss || hit.slot === undo)
      return !isNegated(text, hit) && !isCode(text, hit) && !stated.test(text.slice(hit.start, hit.end))
    if (hit.slot === unasked) return !isAskingElse(text, hit)
    if (hit.slot === instead)
      return !weakInstead.test(text.slice(hit.start, hit.end)) || answering.test(text.slice(hit.end, hit.end + 32))
    if (hit.slot === everything) return isGivenText(text, hit)
    if (hit.slot === earlier) return isEarlier(text, hit)
    if (hit.slot === onward) return !prospect.test(clauseAround(text, hit))
    if (hit.slot === invalid) return !otherSubject.test(text.slice(Math.max(0, hit.start - CLAUSE_REACH), hit.start))
    if (hit.slot === send) return !isSendingNoun(text, hit) && !isPartOfName(text, hit)
    if (hit.slot === furtive && hit.language === ENGLISH)
      return !behaviour.test(text.slice(Math.max(0, hit.start - BEHAVIOUR_REACH), hit.start))
    if (hit.slot === marker && nameContinues.test(text.slice(hit.end, hit.end + 2))) return false
    if (hit.slot === marker && hit.language !== NEUTRAL)
      return lineOpening.test(text.slice(Math.max(0, hit.start - 9), hit.start))
    if (hit.slot === goods) return !attribute.test(text.slice(hit.end, hit.end + ATTRIBUTE_REACH))
    if (hit.slot === quiet) return !isPermission(text, hit) && isSecrecy(text, hit)
    return true
  })
  for (const [at, hit] of kept.entries()) {
    if (hit.slot === obey && denial.test(text.slice(hit.end, hit.end + DENIAL_REACH)))
      derived.push({ ...hit, slot: dismiss })
    if (hit.slot === machine || hit.slot === helper) addAddressed(derived, kept, at, text)
    if (hit.slot === orders || hit.slot === prompt) addOwn(derived, kept, at, text, own)
    if (hit.slot === orders && isAnnounced(text, hit)) derived.push({ ...hit, slot: marker })
    if (hit.slot === bounds) addOwn(derived, kept, at, text, ownBounds)
    if (hit.slot === task || hit.slot === orders) addNewTask(derived, kept, at, text)
    if (hit.slot === task) addOwn(derived, kept, at, text, ownTask)
  }
  if (derived.length === 0) return kept
  return [...kept, ...derived].sort((a, b) => a.sentence - b.sentence || a.start - b.start)
}

/** "End of the old instructions" at the start of a line. */
const isAnnounced = (text: string, { start }: SlotHit) =>
  announcement.test(text.slice(Math.max(0, start - ANNOUNCEMENT_REACH), start))

/** "Do not forget the earlier instructions" asks for the opposite. */
const isNegated = (text: string, { start, end }: SlotHit) =>
  negationBefore.test(text.slice(Math.max(0, start - NEGATION_REACH), start)) ||
  negationAfter.test(text.slice(end, end + 2 * NEGATION_REACH))

function isGivenText(text: string, { start, end }: SlotHit): boolean {
  const words = text.slice(start, end)
  if (words === 'everything that') return toldBefore.test(text.slice(end, end + 16))
  if (words === 'everything we') return saidBefore.test(text.slice(end, end + 16))
  return !restOf.test(words) || givenText.test(text.slice(end, end + 16))
}

/** "Never delete a file without asking" does not ask for secrecy. */
const isPermission = (text: string, { start, end }: SlotHit) =>
  /^(?:without|ohne|sans|sin|senza|sem|zonder|bez)/.test(text.slice(start, end)) &&
  forbidding.test(
    text
      .slice(Math.max(0, start - PERMISSION_REACH), start)
      .split(/[.!?\n]/)
      .at(-1) ?? '',
  )

function isSecrecy(text: string, { start, end }: SlotHit): boolean {
  const after = text.slice(end, end + CLAUSE_REACH)
  const words = text.slice(start, end)
  if (keepingFrom.test(words)) return listener.test(after)
  const from = hidingFrom.exec(after)
  if (words.startsWith('hide ') && from !== null) return listener.test(after.slice(from[0].length))
  const verb = /(?:t|never) (tell|mention)$/.exec(words)?.[1]
  return verb === undefined || (verb === 'tell' ? listener : mentioned).test(after)
}

const isAskingElse = (text: string, { start, end }: SlotHit) => {
  const after = text.slice(end, end + CLAUSE_REACH)
  return consentSetting.test(after) || (text.slice(start, end).endsWith('asking for') && !consent.test(after))
}

function isEarlier(text: string, { start, end }: SlotHit): boolean {
  const words = text.slice(start, end)
  const after = text.slice(end, end + CLAUSE_REACH)
  return words === 'before' ? !conjunction.test(after) : !words.endsWith(' other') || orderBehind.test(after)
}

const isCode = (text: string, hit: SlotHit) =>
  (text.charAt(hit.start - 1) === '`' && text.charAt(hit.end) === '`') ||
  text.charAt(hit.end) === '(' ||
  isPartOfName(text, hit) ||
  (text.startsWith('void', hit.start) && resultType.test(text.slice(hit.end, hit.end + NAME_REACH)))

const isPartOfName = (text: string, { start, end }: SlotHit) =>
  codeBefore.test(text.slice(Math.max(0, start - 2), start)) || codeAfter.test(text.slice(end, end + 2))

const isSendingNoun = (text: string, { start, end }: SlotHit) =>
  sendingNoun.test(text.slice(start, end)) && nounBefore.test(text.slice(Math.max(0, start - 8), start))

const clauseAround = (text: string, { start, end }: SlotHit) =>
  text.slice(Math.max(0, start - CLAUSE_REACH), end + CLAUSE_REACH)

/** Hits within reach of another one, in the same sentence and language. */
function around(hits: readonly SlotHit[], at: number, reach: number): SlotHit[] {
  const near: SlotHit[] = []
  const center = hits[at]
  if (center === undefined) return near
  for (const step of [-1, 1]) {
    for (let next = at + step; ; next += step) {
      const hit = hits[next]
      if (hit === undefined || hit.sentence !== center.sentence) break
      if (Math.max(hit.start - center.end, center.start - hit.end) > reach) break
      if (hit.language === center.language || hit.language === NEUTRAL) near.push(hit)
    }
  }
  return near
}

function addAddressed(derived: SlotHit[], hits: readonly SlotHit[], at: number, text: string): void {
  const name = hits[at]
  if (name === undefined) return
  let called: SlotHit | undefined
  let hasReading = false
  let hasPage = false
  let isListed = false
  for (const hit of around(hits, at, READER_REACH)) {
    if (hit.slot === reading) hasReading = true
    else if (hit.slot === page) hasPage = true
    else if (hit.slot === machine) isListed ||= hit.start > name.start && hit.start - name.end < LIST_REACH
    else if (hit.slot === call && called === undefined && isCalled(text, hit, name)) called = hit
  }
  const isVocative =
    name.slot === machine &&
    !isListed &&
    vocative.test(text.slice(name.end, name.end + 4)) &&
    opening.test(text.slice(Math.max(0, name.start - 8), name.start))
  if (called === undefined && !(hasReading && hasPage) && !isVocative) return
  if (person.test(text.slice(name.end, name.end + PERSON_REACH))) return
  derived.push({ ...name, slot: addressed, start: Math.min(called?.start ?? name.start, name.start) })
}

function isCalled(text: string, hit: SlotHit, name: SlotHit): boolean {
  if (name.slot !== machine && name.language === ENGLISH && hit.end - hit.start <= SHORT_CALL) return false
  if (isUnspaced(text, name) && hit.end > name.end && hit.start - name.end <= 1) return true
  if (hit.end > name.start || name.start - hit.end > CALL_REACH) return false
  const between = text.slice(hit.end, name.start)
  return !pause.test(between) && !(name.language === ENGLISH && notCalling.test(between)) && isOpening(text, hit)
}

/** CJK and similar scripts, whose languages omit the pronoun and put the particle last. */
const isUnspaced = (text: string, { start }: SlotHit) => text.charCodeAt(start) >= 0x3000

/** True near the beginning of a sentence or line. */
const isOpening = (text: string, { start }: SlotHit) =>
  callOpening.test(text.slice(Math.max(0, start - CALL_OPENING), start))

function addNewTask(derived: SlotHit[], hits: readonly SlotHit[], at: number, text: string): void {
  const noun = hits[at]
  if (noun === undefined || !/^[^\p{L}\n]{0,3}[:：]/u.test(text.slice(noun.end, noun.end + 4))) return
  for (const hit of around(hits, at, OWN_REACH)) {
    if (hit.slot === renewed && hit.end <= noun.start) {
      derived.push({ ...noun, slot: newTask, start: hit.start })
      return
    }
  }
}

function addOwn(derived: SlotHit[], hits: readonly SlotHit[], at: number, text: string, slot: number): void {
  const noun = hits[at]
  if (noun === undefined) return
  for (const hit of around(hits, at, GIVEN_REACH)) {
    const isGiven = hit.slot === given && (hit.end > noun.start || isUnspaced(text, noun))
    const isHidden = hit.slot === hidden && isUnspaced(text, noun) && hit.end <= noun.start && noun.start - hit.end <= 1
    const isOwner = hit.slot === self && isOwnerOf(text, hit, noun)
    if (isOwner || isGiven || isHidden) {
      derived.push({ ...noun, slot, start: Math.min(hit.start, noun.start), end: Math.max(hit.end, noun.end) })
      return
    }
  }
}

function isOwnerOf(text: string, owner: SlotHit, noun: SlotHit): boolean {
  if (owner.end > noun.start || noun.start - owner.end > OWN_REACH) return false
  const word = text.slice(owner.start, owner.end)
  if (owner.language === ENGLISH ? !possessive.test(word) : subjectPronoun.test(word)) return false
  const between = text.slice(owner.end, noun.start)
  return !pause.test(between) && between.trim().split(' ').length <= MAX_BETWEEN
}
