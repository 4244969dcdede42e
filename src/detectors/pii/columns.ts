import type { Part } from '../../documents/document.ts'
import { labelWords } from '../label-words.ts'
import { idRules } from './ids/all.ts'
import { findHits } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { GENERIC_ID, type TopicName, topicOf } from './topics.ts'

const MAX_NAME_LENGTH = 80

/** Words that name a column although they are not labels of values. */
const ownWords: readonly (readonly [kind: string, words: string])[] = [
  [
    'pay',
    'salary base_salary annual_salary base_pay gross_pay net_pay gehalt bruttogehalt bruttolohn nettolohn lohn salaire salaire_brut sueldo salario stipendio retribuzione vencimento ordenado salaris brutoloon wynagrodzenie pensja lön loen palkka wage compensation salariu salariul',
  ],
  [
    'health',
    'diagnosis diagnose diagnostic diagnóstico diagnosi diagnoza blood_type blutgruppe disability behinderung krankheit illness allergies allergy medication patient_name patient_id medical_record',
  ],
  [
    'special category',
    'religion religião religiao konfession confession religione religie religia ethnicity ethnie etnia ethnische_herkunft race sexual_orientation orientation_sexuelle orientación_sexual sexuelle_orientierung political_party political_opinion parteizugehörigkeit trade_union_membership union_membership gewerkschaft',
  ],
  [
    'bank account',
    'iban bank_account bankaccount account_holder bankverbindung numero_cuenta cuenta_bancaria kontonummer konto_nr compte_bancaire numéro_de_compte conto_corrente rekeningnummer numer_konta bankkonto cislo_uctu číslo_účtu',
  ],
  [
    'payment card',
    'cvv cvc tarjeta_credito carta_credito numero_carte cc_number pan_number pan cartao_credito cartão_crédito 银行卡号',
  ],
  [
    'contact',
    'email e_mail mail_address email_address e_mail_address correo_electronico courriel mailadresse emailadres e_mailadres telefon_privat telephone_portable téléphone_portable telefono_movil teléfono_móvil telefon_komorkowy telefon_komórkowy mobilni_telefon mobilní_telefon numar_telefon număr_telefon telefon_mobil',
  ],
  ['identity document', 'patente_guida permis_conduire koerekort_nummer kørekort_nummer ehliyet_no'],
  [
    'name',
    'customer_name client_name employee_name patient_name contact_name user_full_name krestni_jmeno křestní_jméno soyad soyadi soyadı nume_familie nume_de_familie prenume keresztnev keresztnév отчество',
  ],
  [
    'address',
    'street strasse straße wohnort_strasse street_name customer_address home_address rue calle via straat ulica lieferanschrift adresse_domicile indirizzo_residenza endereco_residencial endereço_residencial gatuadress adresa_bydliste adresa_bydliště ev_adresi adresa_domiciliu домашний_адрес адрес_проживания 家庭住址 집주소',
  ],
]

const topicKinds: readonly (readonly [TopicName, string])[] = [
  ['SSN', 'national id'],
  ['BIRTH', 'date of birth'],
  ['CARD', 'payment card'],
  ['SORT_CODE', 'bank account'],
  ['PHONE', 'contact'],
  ['NAME', 'name'],
  ['ADDRESS', 'address'],
]
const documents = new Set(['PASSPORT', 'DRIVING_LICENCE'])
const health = new Set(['MEDICAL_RECORD', 'US_MBI', 'UK_NHS', 'DE_HEALTH_INSURANCE', 'AU_MEDICARE'])
const things = new Set(['VEHICLE_ID', 'IMEI', 'US_NPI'])

const kindOfTopic = new Map<number, string>([
  ...idRules.flatMap(({ type }, at): [number, string][] => {
    if (things.has(type)) return []
    if (type === 'US_BANK_ROUTING') return [[at, 'bank account']]
    return [[at, documents.has(type) ? 'identity document' : health.has(type) ? 'health' : 'national id']]
  }),
  ...topicKinds.map(([name, kind]): [number, string] => [topicOf(name), kind]),
  [GENERIC_ID, 'national id'],
])

/** Words for the owner of a value, or for a value as such. */
const neutral = new Set(
  'number no nr num nbr n id code value customer client employee user person patient member holder owner applicant citizen guest student contact primary secondary main home work private personal mobile my the of de del do da du der des van di cliente titular empleado mitarbeiter kunde kunden pracownika klienta pacjenta encrypted raw plain hashed 1 2 3 new old domicilio postale wohnort full legal current permanent billing shipping delivery mailing residential numero número numéro nummer numer paziente klant kund asiakas физлица'.split(
    ' ',
  ),
)
/** Short words that often have another meaning. */
const ambiguous = new Set([
  'mobile',
  'mobil',
  'gsm',

  'exp',
  'expiry',
  'expires',
  'via',
  'card',
  'cards',
  'visa',
  'kort',
  'karte',
  'carte',
  'karta',
  'kartı',
  'matricule',
  'matrícula',
  'identität',
  'social',
  'tin',
  'ci',
  'fin',
  'nie',
  'kt',
  'documento',
  'identidad',
  'born',
  'cell',
  'fixe',
  'fixed',
  'portable',
  'signal',
  'author',
  'authors',
  'address',
  'addr',
  'nar',
  'ur',
  'cep',
  'steuer',
  'rfc',
  'ipn',
  'inn',
  'iin',
  'pan',
  'nip',
  'run',
  'rut',
  'ruc',
  'nit',
  'taj',
  'nas',
  'spi',
  'eid',
  'discover',
  'diners',
  'fiscal code',
  'tax code',
  'national number',
])

const spelled = (name: string) => labelWords(name).join(' ')
const ownPhrases = ownWords.flatMap(([kind, words]) =>
  words.split(' ').map((word): [string, string] => [spelled(word.replaceAll('_', ' ')), kind]),
)

/** The words of a name without a phrase; undefined where the phrase does not occur in it as whole words. */
function without(name: string, phrase: string): string[] | undefined {
  const at = ` ${name} `.indexOf(` ${phrase} `)
  return at < 0
    ? undefined
    : `${name.slice(0, Math.max(0, at - 1))} ${name.slice(at + phrase.length)}`.split(' ').filter(Boolean)
}

const isNeutral = (words: readonly string[]) => words.every((word) => neutral.has(word))

function kindOf(name: string): string | undefined {
  const words = spelled(name)
  for (const [phrase, kind] of ownPhrases) {
    const rest = without(words, phrase)
    if (rest !== undefined && isNeutral(rest) && (rest.length === 0 || phrase.length > 3)) return kind
  }
  for (const { start, end, value: topics, inflected } of findHits(words)) {
    const topic = topics.find((each) => kindOfTopic.has(each))
    if (topic === undefined || inflected) continue
    const phrase = words.slice(start, end)
    const rest = `${words.slice(0, start)} ${words.slice(end)}`.split(' ').filter(Boolean)
    if (!isNeutral(rest) || (ambiguous.has(phrase) && (rest.length === 0 || phrase.length < 4))) continue
    return kindOfTopic.get(topic)
  }
  return undefined
}

/**
 * A table column whose whole name means personal data; next to other words the name is not evidence.
 */
export function* findSensitiveColumns(part: Part): Generator<PiiMatch> {
  if (part.kind !== 'name' || part.text.length > MAX_NAME_LENGTH) return
  if (part.label !== undefined && part.label !== 'column') return
  const kind = kindOf(part.text)
  if (kind === undefined) return
  const name = part.text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
  yield {
    type: 'SENSITIVE_COLUMN',
    start: 0,
    end: part.text.length,
    confidence: 0.6,
    severity: kind === 'contact' || kind === 'name' || kind === 'address' ? 'LOW' : 'MEDIUM',
    identity: `${part.path}:${name}`,
    shown: `column that holds a ${kind}`,
    isName: true,
  }
}
