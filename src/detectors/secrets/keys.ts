import { memoize } from '../../kernel/memoize.ts'
import { labelWords } from '../label-words.ts'
import { isUnspaced } from '../words.ts'
import { kindOfEnd, type SecretKind, secretPhrases } from './words.ts'

/** The kind of value that a name announces: a password chosen by a person, a machine-made token, or no secret. */
export type KeyKind = 'password' | 'token' | undefined

const MAX_PHRASE = 4

/** After the keyword, these words mean that the value is about the secret and not the secret itself. */
const about = new Set(
  (
    'hash hashes hashing pem crt cer csr id ids identifier name names type types length len size count limit limits expiry expires expire expiration exp ttl age field fields path paths file filename files dir directory url uri urls endpoint endpoints ref refs reference policy policies hint version versions algorithm alg algo format label labels prefix suffix header headers param params parameter parameters enabled disabled required valid validity validation validator regex pattern placeholder class classes provider providers manager service store storage digest checksum position index column columns attribute page pages link links location arn namespace usage usages budget kind mode status state error errors message messages description desc title help rotation scope scopes config configuration option options strategy backend source function callback handler event requirements schema min max minimum maximum strength reset history expression group owner list map set provided input inputs prompt confirm confirmation confirmed changed again match matches mismatch kv engine mount used usage rule rules resolver factory helper component icon button form dialog screen view request response endpoint exchange introspection revocation management lifetime issuer audience claim claims bucket buckets annotation signature generation generator exchanger fingerprint encryption database hmac step steps protected authentication based ' +
    // The same in other languages, and adjectives of public keys.
    'richtlinie typ länge datei feld fingerabdruck politique publique primaire étrangère fichier type champ oublié oubliée empreinte política pública primaria foránea archivo campo tipo olvidada huella politica pubblica primaria esterna lunghezza impronta primária estrangeira arquivo esquecida beleid publieke lengte bestand veld publiczny publicznego główny obcy plik pole typu długość типа публичный первичный внешний открытый файл поле длина veřejný primární soubor tipi türü uzunluğu politikası chiave'
  ).split(' '),
)
/** Whether a word after a label means that the value is about the secret. */
export const isAbout = (word: string) => about.has(word)

/** Words that mean the same before the keyword. */
const harmless = new Set(
  (
    'public pub primary foreign sort partition cache csrf xsrf next page continuation sync cursor max min num total count is has no use needs forgot show hide reset change hashed validate invalid missing expired wrong prompt completion cached stop eos bos pad unk mask sep cls special lex syntax comment keyword punctuation line sequence dedup idempotency route lookup object registry translation bucket row hash design theme color spacing css abstract previous last end start open close first new_line unexpected expected current peek consume string number identifier operator allow require without lock request starting idempotence correlation resume authenticity verification antiforgery forgery update policy import export csrfmiddleware digest checksum signature security matching mismatched dummy mock fake ' +
    'öffentlicher öffentliche öffentlichen primärer fremder mot palabra parola palavra pública primaire publieke openbare openbaar primaria clé_publique publiczny publicznego główny słowo открытый открытого публичный первичный внешний ключевое ключевой veřejný primární cizí klíčové publik primär publika genel birincil yabancı julkinen nyilvános publică primară javni 公開 公钥 공개 기본 외래'
  ).split(' '),
)
/** Compounds whose first part means the same. */
const harmlessCompound =
  /^(?:primär|fremd|sortier|öffentlich|public|primary|foreign|antiforg|csrf|xsrf|keyword|haupt|schlüsselwort|公開|主|公)/
const packedToken = /(?:csrf|xsrf|forgery|requestverification)/

/** Words for a key that also name a password: `la clave`, `clave wifi`. */
export const namesEither = (label: string) => /(?:^|[\s_-])(?:clave|chave|chiave)s?(?:[\s_-]|$)/i.test(label)

/** The field that web frameworks add to forms as protection against request forgery. */
const formGuard = /^_+token$/i

const MAX_KNOWN = 2_000

/** The kind of a name such as `spring.datasource.password`, `GITHUB_TOKEN`, `Secret access key`, `Clé d'API`. */
export function kindOfKey(name: string): KeyKind {
  const kind = kindOfLabel(name)
  return kind === 'login' ? undefined : kind
}

/** The same, where a label may also announce a user's name and a password. */
export const kindOfLabel: (name: string) => SecretKind | undefined = memoize(MAX_KNOWN, (name) =>
  formGuard.test(name) ? undefined : readKind(labelWords(name)),
)

interface Named {
  kind: SecretKind
  /** Index of the first word of the phrase, and of the first word after it. */
  from: number
  to: number
}

function readKind(words: readonly string[]): SecretKind | undefined {
  const named = findNamed(words)
  if (named === undefined) return undefined
  const { kind, from, to } = named
  if (words.slice(to).some((word) => about.has(word))) return undefined
  const before = words.slice(0, from)
  const phrase = words.slice(from, to).join('')
  if (harmlessCompound.test(phrase) || packedToken.test(words.join(''))) return undefined
  if (kind === 'password') return kind
  return before.some((word) => harmless.has(word)) ? undefined : kind
}

/** The last phrase of the table in a name, the longest that ends there; passwords and tokens precede logins. */
function findNamed(words: readonly string[]): Named | undefined {
  let login: Named | undefined
  for (let to = words.length; to > 0; to--) {
    for (let length = Math.min(MAX_PHRASE, to); length > 0; length--) {
      const kind = secretPhrases.get(withoutNumber(words.slice(to - length, to).join(' ')))
      if (kind === undefined) continue
      const named = { kind, from: to - length, to }
      if (kind !== 'login') return named
      login ??= named
    }
    const word = withoutNumber(words[to - 1] ?? '')
    const kind = kindOfEnd(word)
    if (kind !== undefined && kind !== 'login') return { kind, from: to - 1, to }
  }
  return login
}

const withoutNumber = (word: string) =>
  word.length > 6 || !isUnspaced(word) ? word.replace(/(?<=\D)\d{1,6}$/, '') : word
