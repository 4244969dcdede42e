import type { Part } from '../../documents/document.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { topicOf } from './topics.ts'

const topics = [topicOf('NAME')]
/** One to five capitalized words with particles of noble and Iberian names between them, after titles. */
const name =
  /(?:(?:Dr|Prof|Ing|Dipl|Mag)\.?[ ]){0,2}\p{Lu}[\p{L}\p{M}'’-]{1,30}(?:(?: (?:de|da|do|dos|das|del|della|di|von|van|der|den|zu|la|le|el|al|bin|ibn|y|e|ten|ter))? (?:\p{Lu}[\p{L}\p{M}'’-]{1,30}|(?:de|da|von|van|der|den|la) \p{Lu}[\p{L}\p{M}'’-]{1,30}|\p{Lu}\.)| (?:de|von|van) (?:la|der|den) \p{Lu}[\p{L}\p{M}'’-]{1,30}){0,4}/uy
const eastAsian = /[\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}]{2,6}(?: [\p{sc=Han}\p{sc=Hangul}\p{sc=Katakana}]{1,4})?/uy
const salutation =
  /(?:^|\n)[ \t]{0,8}(?:Dear|Sehr geehrter?|Lieber?|Chère?|Cher|Estimad[ao]|Gentile|Egregio|Car[ao]|Prezad[ao]|Geachte|Beste|Szanown[ay]|Hej|Kære|Kjære|Hei|Hyvä|Hallo|Hi|Hello) (?:(?:Mr|Mrs|Ms|Miss|Sir|Herrn?|Frau|Madame|Monsieur|Mme|Sra?|Señora?|Sig(?:\.ra|nora|nor|na)?|Senhora?|mevrouw|meneer|heer|Pan[ia]?)\.? ){0,2}/gu
const closing =
  /(?:regards|sincerely|yours truly|best wishes|cheers|thanks|Grüßen|Grüße|Gruß|Cordialement|salutations|Bien à vous|Saludos(?: cordiales)?|Atentamente|saluti|cumprimentos|Atenciosamente|groeten?|groet|poważaniem|pozdrawiam|hälsningar|hilsen|terveisin),?[ \t]{0,4}\r?\n[ \t]{0,4}(?:\r?\n[ \t]{0,4})?/giu
const from =
  /(?:^|\n)(?:From|To|Cc|Von|An|De|À|Da|Para|Van|Aan|Od|Do|Från|Fra|Lähettäjä):[ \t]{1,4}"?(?=[^\n<]{3,60}"?[ \t]{0,2}<[^\s<>]{1,80}@)/gu
/** Capitalized words at the position of a name that are not names. */
const notNames =
  /^(?:All|Team|Sir|Madam|Customers?|Colleagues?|Everyone|Friends?|Users?|Reader|Required|String|Yes|No|None|Null|True|False|Unknown|Pending|Text|Varchar|Alle|Zusammen|Kolleg\p{L}*|Damen|Herren|Kunde\p{L}*|Tous|Toutes|Equipo|Todos|Tutti|The|See|Optional|Name|First|Last|Admin|System|Support|Internal|Various|Authors?|Contributors|Community|Foundation|Inc|Corp|GmbH|Ltd)\b/u
const organisation =
  /\b(?:Inc|Corp|Corporation|GmbH|AG|Ltd|LLC|Team|Foundation|Project|Group|Contributors|Authors|Community|Company|University|Institute|Systems|Technologies|Software|Labs?)\b/u

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

function readName(text: string, at: number): string | undefined {
  const found = matchAt(name, text, at) ?? matchAt(eastAsian, text, at)
  if (found === undefined || notNames.test(found) || organisation.test(text.slice(at, at + found.length + 24)))
    return undefined
  const next = text.slice(at + found.length, at + found.length + 2)
  return /^[\p{L}\p{N}_@/\\(=[{]|^\.\p{L}|^ \p{Ll}/u.test(next) ? undefined : found
}

const toMatch = (start: number, found: string, confidence: number): PiiMatch => ({
  type: 'PERSON_NAME',
  start,
  end: start + found.length,
  confidence,
  severity: 'LOW',
  identity: found.toLowerCase(),
  shown: '•••',
})

const gap = /^[\s"'`*]{0,6}[:=|>]{0,2}[\s"'`*|-]{0,8}/

/** Names where the structure announces one: in cells and members labelled so, salutations, closings, mail headers. */
export function* findNames(part: Part, labels: PartLabels): Generator<PiiMatch> {
  const { text } = part
  for (const place of labels.placesOf(topics)) {
    const isOwn = place.isCell && place.start === 0 && place.end === text.length
    if (isOwn && part.label === undefined) continue
    const from = place.isCell ? place.start : place.end
    const lead = gap.exec(text.slice(from, from + 24))?.[0] ?? ''
    if (!place.isCell && !/[:=|\t\n]/.test(lead)) continue
    const start = from + lead.length
    const found = readName(text, start)
    if (found === undefined) continue
    const relation = labels.relate(topics, start, start + found.length)
    if (relation === 'cell' || relation === 'adjacent')
      yield toMatch(start, found, relation === 'cell' || found.includes(' ') ? 0.85 : 0.7)
  }
  for (const [pattern, confidence] of [
    [salutation, 0.8],
    [closing, 0.75],
    [from, 0.9],
  ] as const) {
    for (const { 0: lead, index } of text.matchAll(pattern)) {
      const start = index + lead.length
      const found = readName(text, start)
      if (found !== undefined && (found.includes(' ') || pattern !== closing)) yield toMatch(start, found, confidence)
    }
  }
}
