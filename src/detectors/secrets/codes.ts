import { lineAround, toChosen } from './chosen.ts'
import type { Found, SearchProgress } from './found.ts'

/** Things that a code opens or switches off. */
const place =
  /(?<!\p{L})(?:[\p{L}-]{0,20}(?:door|gate|lock|alarm|safe|garage|entrance|lobby|barrier|shutter|keybox|lockbox|locker|padlock)s?|key (?:box|safe)|[\p{L}-]{0,20}(?:tür|türe|tor|tores|eingang|alarmanlage|tresor|tresors|schloss|schlosses|schranke|schlüsselkasten|schlüsselbox|spind|pforte|rolltor)|porte|portail|alarme|coffre|coffre-fort|cadenas|boîte à clés|digicode|serrure|barrière|puerta|portón|alarma|caja (?:fuerte|de llaves)|candado|cerradura|verja|taquilla|porta|portone|cancello|allarme|cassaforte|lucchetto|serratura|cassetta|portão|cofre|cadeado|fechadura|[\p{L}-]{0,20}(?:deur|poort|alarm|kluis|slot|slagboom|sleutelkast|hek)|drzwi|brama|bramy|alarmu|sejf|sejfu|kłódka|kłódki|zamek|szlaban|szlabanu|furtka|furtki|skrytka)(?!\p{L})/iu
const codeWord =
  /(?<![\p{L}\d_-])(?:\p{L}{0,16}(?:code|codes|pin|pincode|combination|combo|keypad|kode|kombination|geheimzahl|combinaison|cadran|código|codigo|combinación|codice|combinazione|combinação|combinatie|pinnummer)|kod|kodem|kodu|szyfr|szyfrem|pinu|pinem)(?![\p{L}\d_])/giu
const otherCode =
  /(?:zip|postal|post|country|area|cost|project|error|status|source|qr|bar|order|article|product|promo|discount|tax|language|colou?r|dress|exit|return|response|currency|sort|length|länge|zugriffs|kosten|artikel|fehler|quell|farb|länder|vorwahl|analytique|postale?|barres|erreur|coste|error|barras|producto|sorgente|fiscale|avviamento|errore|erro|produto|fonte|bron|fout|kleur|kosztów|pocztowy|błędu|kreskowy|źródłow\p{L}{0,12})[- ]?$/iu
const afterOther =
  /^[- ](?:review|length|change|expires|postal|analytique|coste?|de (?:coste|producto|barras|error|custo)|di (?:errore|avviamento)|fiscale|erreur|kosztów|pocztowy|błędu|kreskowy|źródłow\p{L}{0,12})(?!\p{L})/iu
const opens =
  /(?<!\p{L})(?:opens?|disarm\p{L}{0,12}|unlock\p{L}{0,12}|arm(?:ed)?|öffne\p{L}{0,12}|entschärf\p{L}{0,12}|entsperr\p{L}{0,12}|geht auf|ouvre|désarm\p{L}{0,12}|désactiv\p{L}{0,12}|abre\p{L}{0,12}|abrir|desarm\p{L}{0,12}|desactiv\p{L}{0,12}|apre|aprire|disinser\p{L}{0,12}|disattiv\p{L}{0,12}|desativ\p{L}{0,12}|open|opent|gaat open|uitschakel\p{L}{0,12}|otwier\p{L}{0,12}|rozbr\p{L}{0,12}|wyłącz\p{L}{0,12})[^.\n\d]{0,30}[ \t](?:with|using|mit|avec|con|com|met|kodem|przez|by)[ \t](?:[\p{L}]{1,14}[ \t]){0,2}$/iu
const digits =
  /(?<![\d\p{L}.,:/+-])[*#]{0,1}(\d{4,8}|\d(?:[- ]\d){3,5}|\d{2}(?:[- ]\d{2}){1,3}|\d{3}[- ]\d{3})[*#]{0,2}(?![\d\p{L}%°€$]|[.,:/-]\d|[ \t]?(?:am|pm|h|uhr|min|sec|mm|cm|kg|seconds|minutes|seiten|pages)(?!\p{L}))/giu
const numbered =
  /(?<!\p{L})(?:room|ext|extension|tel|phone|raum|zimmer|durchwahl|salle|poste|sala|interno|extensión|ramal|zaal|kamer|toestel|pokój|wewn\p{L}{0,12}|nr|no|art|id|ticket|since|seit|depuis|desde|dal|sinds|od|in|am|um|at|vom)[.:# \t]{0,3}$/iu
const linked =
  /^[\p{L}\p{M} \t()'’„“"«».,#*–-]{0,48}(?:[:=→]|[ \t](?:is|ist|lautet|est|es|è|é|luidt|to|jest|now|with|mit)|[ \t][–—-])[ \t"'„“«*`#]{0,4}$/iu
const beside = /^[ \t"'„“«*`]{1,4}$/u

/** Codes of doors, alarms and safes, and PINs; searched where a word for a code or a place occurs. */
export function* findAccessCode(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const line = lineAround(text, at)
  progress.readFrom = line.end
  if (!/\d/.test(line.text) || /[{}();]$|=>|\(\)|[!=]=/.test(line.text)) return
  const isPlace = place.test(line.text)
  for (const { 0: whole, 1: value = '', index } of line.text.matchAll(digits)) {
    const before =
      line.text
        .slice(Math.max(0, index - 120), index)
        .split(/[.;](?=\s)/)
        .at(-1) ?? ''
    if (numbered.test(before) || isDate(value) || !isGiven(before, isPlace, line.text.slice(index + whole.length)))
      continue
    yield toChosen('ACCESS_CODE', line.start + index + whole.indexOf(value), value, 'code', 0.8)
  }
}

/** Whether the words before digits make them a code: a word for one and a link, or what it opens and how. */
function isGiven(before: string, isPlace: boolean, after: string): boolean {
  if (isPlace && opens.test(before)) return true
  if (isPlace && /^[ \t](?:as (?:the )?code|als code|comme code|como código|come codice|als kod|jako kod)/i.test(after))
    return true
  const word = [...before.matchAll(codeWord)].at(-1)
  if (word === undefined) return false
  const rest = before.slice(word.index + word[0].length)
  if (
    otherCode.test(before.slice(0, word.index)) ||
    otherCode.test(word[0].replace(/codes?$|code$|kode$/i, '')) ||
    afterOther.test(rest)
  )
    return false
  const isPin = /^pin(?:code|nummer|u|em)?$|geheimzahl$/i.test(word[0])
  return (isPlace || isPin) && (linked.test(rest) || beside.test(rest))
}

const isDate = (value: string) =>
  /^(?:19|20)\d\d$/.test(value) ||
  /^(?:0[1-9]|[12]\d|3[01])[- ](?:0[1-9]|1[0-2])$/.test(value) ||
  new Set(value).size < 2
