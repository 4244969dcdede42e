import { entropy } from '../text.ts'

const stand =
  'my|your|our|the|some|any|a|an|this|that|is|not|new|old|super|very|top|real|valid|invalid|wrong|correct|actual|user|users|username|admin|root|db|database|app|test|testing|example|sample|demo|default|dummy|fake|foo|bar|baz|qux|change|changeme|changeit|me|it|replace|insert|enter|put|set|add|use|with|here|goes|in|and|or|for|of|to|from|value|string|text|password|passwords|passwd|passphrase|pass|pwd|secret|secrets|token|tokens|key|keys|api|apikey|auth|access|client|credential|credentials|private|public|id|hash|hashed|encrypted|redacted|masked|hidden|removed|sanitized|placeholder|none|null|nil|undefined|empty|true|false|yes|no|required|optional|todo|tbd|na|na|xxx|abc|abcd|abcdef|qwerty|letmein|hunter|passw0rd|p4ssw0rd|pa55word|notset|unset|anything|something|whatever|generated|random|long|strong|secure|safe|keyboard|cat|shh|shhh|mysecret|mypassword|mytoken|supersecret|topsecret|correcthorsebatterystaple|header|payload|signature|bearer|basic|jwt|hex|base64|encoded|json|env|var|variable|config|github|gitlab|slack|aws|azure|google|stripe|openai|npm|docker|vault|prod|production|dev|development|staging|local|localhost|server|service|account|role|name|email|login|session|cookie|code|data|field|param|type|object|function|return|const|let|var|process|import|export|require|module|self|props|state|req|res|ctx|opts|options|settings|args|input|output|form|body|prompt|getpass|readline|kennwort|passwort|contrasena|motdepasse|senha|wachtwoord|haslo|heslo|parola|mein|dein|ihr|neues|altes|mon|votre|ton|nouveau|mi|tu|su|nueva|clave|mia|tua|nuova|chiave|minha|sua|nova|chave|mijn|jouw|uw|nieuw|moje|twoje|nowe|geheim|secreto|secreta|segredo|segreto|jeton|cle|schluessel|topsecret|confidential|min|max|minimum|maximum|chars|characters|zeichen|signs|digits|letters|command|option|options|switch|switches|flag|flags|argument|arguments|parameter|parameters'
const standIns = new Set(stand.split('|'))

const sequences = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiopasdfghjklzxcvbnm',
  '98765432109876543210',
]
const masked = /x{4,}|\*{3,}|\.{3,}|…|_{4,}|-{4,}|#{4,}|•{2,}|\?{3,}/i
const spokenPlaceholder =
  /your|^(?:votre|deine?|ihre?|meine?|tu|su|mi|jouw|uw|mijn|twoje|moje|sua|minha|tua|mia)[-_ ]?(?:pass|mot|kenn|contra|clave|wacht|has|senha|token|secret|cle|key)|<|change[-_]?(?:me|it|this)|replace[-_]?(?:me|with|this)|place[-_]?holder|redacted|example|dummy|[-_]here$|not[-_]?a[-_]?real|put[-_ ]/i
const sampleWord = /(?:^|[^a-z])(?:fake|sample|insert|todo|tbd)(?![a-z])/i
/** A variable or expression interpolated into a quoted text, or a placeholder of a format string. */
const spliced =
  /["']\s{0,2}(?:[.+&]\s|\$)|\$\{|["']\$|^\\\$|\\\$\w|%[sdv](?![0-9A-Za-z])|^%[sdv]|\{\d?\}|["'] ?[.+]$|^['"]? ?[.+] /
const template =
  /^[<[{(%]|^-?\$|\$\{|\{\{|\$\(|<%|%\w{2,}%|#\{|\{[\w.]*\}$|^@\w|^!(?:Ref|Sub|secret|vault|env|GetAtt|join)|^\$\w|^%\(?\w/i
const reference =
  /^(?:process|os|env|ENV|System|config|settings|secrets|vars|var|local|data|module|self|this|props|params|args|options|opts|req|request|res|ctx|context|state|app|import|window|event|input|output|github|steps|inputs|needs|vault|op|arn|ssm|kms|gcp|projects|file|env|secretsmanager|keyring|keychain|doppler|infisical|sops|azurekeyvault|ENC|AES|resource|each|aws_\w+|random_password|null|nil|None|undefined|new|await|function|lambda|async|typeof|return|if|else|string|number|boolean|bool|int|varchar|char|text|any|unknown|object|array|str|bytes|optional|required)(?:[.[(:/,]|$)/
const call = /^\*{0,2}[\w$.]*[\w$]\(|\)$|=>|\w\[["']|^[\w$.]+\[\w/
const address = /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.|\/|\.{1,2}\/|~\/|[A-Z]:\\|@[\w-]+\/)/i
const filePath =
  /^[\w.-]+(?:\/[\w.@{}*-]+){1,}$|\.(?:json|ya?ml|txt|pem|key|crt|cer|p12|pfx|jks|env|ini|conf|cfg|js|ts|py|rb|go|java|php|html?|md|xml|sh|properties|csv|log|png|svg|css)$/i
const dotted = /^!{0,2}[A-Za-z_$][\w$]*(?:(?:\.|\?\.|::|->)[A-Za-z_$][\w$]*)+$/
const integrity = /^(?:sha(?:1|256|384|512)|md5)[-:]|^did:|^urn:|^uuid:|^spiffe:|^key_?id/i
const version =
  /^[v^~>=<]{0,3}\d{1,6}(?:\.\d{1,6}){1,3}(?:[-+a-z][-+.\w]{0,80})?$|^\d{4}-\d\d-\d\d|^[\d.,:\s%-]{1,80}$|^~?\d{1,12}(?:ms|s|m|h|d|px|em|rem|kb|mb|gb|k)$/i
const mail = /^[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const technical =
  /^(?:sha|md|utf|base|oauth|http|https|ipv|win|x|ed|rsa|ec|es|hs|rs|ps|aes|des|bcrypt|argon|pbkdf|hmac|ntlm|tls|ssl|v|h|p|http_|ssh|ecdsa|curve|secp|x509|k8s|i18n|l10n|a11y|log4j|junit|python|node|java|vue|angular|postgres|mysql|s3|ec2|rds)\d{0,4}$/i

/** The words of a value: split at separators and where lower case meets upper case. */
function wordsOf(value: string): string[] {
  return value
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Za-z])(\d)/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}

/** Sample values from the manuals of vendors. */
const publishedSamples = new Set([
  '33f!!lloppa',
  'pa$$word',
  'open sesame',
  'foobared',
  'abcdef.0123456789abcdef',
  'JBSWY3DPEHPK3PXP',
])
/** The secret of the examples in RFC 4226 and RFC 6238, in base32. */
const countedSeed = /^(?:GEZDGNBVGY3TQOJQ){1,4}[A-Z2-7]{0,15}=*$/
/** Types of arrays in JavaScript. */
const arrayType = /^(?:Big)?(?:Ui|I)nt\d{1,2}(?:Clamped)?Array$|^Float\d\dArray$/

/** `--expires=1893456000` */
const isOption = (value: string) => /^--?[a-z][\w-]{1,40}=/i.test(value)

/** A piece of code without the quotes around its values: `algorithm="HS256`, `).toString('hex`, `isinstance(args[2]`. */
export const isCode = (value: string) =>
  isOption(value) ||
  /^[)\]}]|^\w+\[["'\d]|^:[a-z-]+$|[\u2500-\u257f]|^[a-z_][\w.]{0,40}\([\w.]{1,40}[[(,]|[(=[{,]["'`]|["'`][)\]},;]/.test(
    value,
  )

/** A line of the list of users without a hash: `eli:x:1000:1000:`. */
const userEntry = /^[a-z_][\w.-]{0,31}:[x*!]{0,2}:\d{1,10}:/
/** `t.Iterable[V]`: a type with its parameters. */
const parametrized = /^[A-Za-z_][\w.]{0,60}\[[\w., ]{1,60}\]$/
/** `scmVersion=`: the next name of a list of names without values. */
const emptyName = /^[A-Za-z][A-Za-z_.-]{1,40}=$/
/** A declaration in C: `&operator=(Model`. */
const declarator = /^[&*]{1,2}[A-Za-z_]\w{0,60}=?\(/

const isTemplate = (value: string) => template.test(value) || spliced.test(value)

const isSpoken = (value: string) => spokenPlaceholder.test(value) || sampleWord.test(value)

/** Also `somepassword`. */
const isStandIn = (word: string) =>
  standIns.has(word) ||
  standIns.has(word.replace(/^(?:some|any|the)(?=[a-z]{3})|(?<=..)(?:password|secret|token)$/, ''))

/** True for placeholders of secrets in documentation: `your-token`, `xxxx`, `<password>`, `changeme123`. */
export function isPlaceholder(value: string): boolean {
  if (isUnfilled(value)) return true
  const words = wordsOf(value)
  if (words.length === 0 || words.every((word) => isStandIn(word) || /^\d{1,4}$/.test(word))) return true
  return isMonotonous(value)
}

/** True if most of the value repeats one character or follows the alphabet, the digits or the keyboard rows. */
export function isMonotonous(value: string): boolean {
  const letters = value.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (letters.length === 0 || new Set(letters).size < 4) return true
  if (/(.)\1{5,}/.test(letters)) return true
  const [alphabetic, numeric] = [letters.replace(/\d/g, ''), letters.replace(/\D/g, '')]
  if (runsAlong(letters) || runsAlong(alphabetic)) return true
  return alphabetic.length >= 3 && numeric.length >= 3 && startsSequence(alphabetic) && startsSequence(numeric)
}

/** `a1b2c3d4`: letters and digits that each count up from their first value. */
const startsSequence = (signs: string) =>
  sequences.some(
    (sequence) => sequence.startsWith(signs.slice(0, 6)) || sequence.slice(1).startsWith(signs.slice(0, 6)),
  )

/** Every two neighbouring characters of a sequence. */
const neighbours = new Set(
  sequences.flatMap((sequence) => [...sequence].slice(1).map((second, at) => `${sequence.charAt(at)}${second}`)),
)

function runsAlong(letters: string): boolean {
  const telling = letters.length < 28 ? 8 : 10
  for (let at = 0; at + telling <= letters.length; at++) {
    if (!neighbours.has(letters.slice(at, at + 2))) continue
    const stretch = letters.slice(at, at + telling)
    if (sequences.some((sequence) => sequence.includes(stretch))) return true
  }
  return false
}

/**
 * True for references instead of secrets: code, paths, addresses, versions, digests, email addresses.
 */
export function isReference(value: string, quoted: boolean): boolean {
  if (
    /\\(?:[&f-]|\*?\()|\][[(]|\w:\/\/|^#[a-z]+(?:-[a-z\d]+)*$/.test(value) ||
    address.test(value) ||
    isFilePath(value) ||
    integrity.test(value) ||
    version.test(value) ||
    userEntry.test(value) ||
    declarator.test(value) ||
    parametrized.test(value) ||
    (!quoted && emptyName.test(value)) ||
    mail.test(value)
  )
    return true
  if (/^[a-z_]{2,20}(?::[\w,]{1,20})?(?:\|[a-z_]{2,20}(?::[\w,]{1,20})?)+$/i.test(value)) return true
  const isMember = dotted.test(value) && !isChosenDotted(value) && !value.split('.').some(isRandom)
  if (!quoted && (reference.test(value) || call.test(value) || isMember || technical.test(value))) return true
  return quoted && (isMember || /^(?:op|vault|arn|ssm|env|file|secretsmanager|projects):?\//.test(value))
}

/** Base64 contains slashes too: a segment of mixed characters that is too long for a name is not part of a path. */
function isFilePath(value: string): boolean {
  if (!filePath.test(value)) return false
  if (/[.{@]/.test(value)) return true
  const pieces = value.split('/')
  const random = pieces.some(
    (piece) => piece.length >= 20 && /\d/.test(piece) && /[a-z]/.test(piece) && /[A-Z]/.test(piece),
  )
  return (
    !random && !(value.length >= 16 && countTurns(value) >= value.length / 5 && pieces.every((piece) => !isWord(piece)))
  )
}

/** Number of changes between upper case, lower case and digits. */
const countTurns = (value: string) => value.match(/[a-z](?=[A-Z0-9])|[A-Z]{2}(?=[a-z0-9])|\d(?=[A-Za-z])/g)?.length ?? 0

const isWord = (piece: string) => /^(?:[A-Za-z]?[a-z]{2,20}|[A-Z]{2,20})$/.test(piece)

/** Versions 1 to 5 of RFC 4122 in lower or upper case. */
export const isUuid = (value: string) => uuid.test(value)

/** A long segment of mixed characters that is no identifier. */
const isRandom = (segment: string) =>
  segment.length >= 20 &&
  /\d/.test(segment) &&
  /[a-z]/.test(segment) &&
  /[A-Z]/.test(segment) &&
  countTurns(segment) >= segment.length / 5

/** `Summer.Rain24`: two words with a dot that are not the name of a member. */
export function isChosenDotted(value: string): boolean {
  if (!/^\p{L}+\.\p{L}+\d{2,6}$/u.test(value) || !/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false
  return (
    !/(?:[a-z](?:8|16|32|64|128|256|512|1024)|[A-Z]\d+)$/.test(value) &&
    !wordsOf(value).some((word) => standIns.has(word))
  )
}

/** Token with which nodes join a Kubernetes cluster. */
const bootstrapToken = /^(?=[a-z.]{0,22}\d)[a-z0-9]{6}\.[a-z0-9]{16}$/
const jwtShape = /^eyJ[\w-]{10,8000}(?:\.[\w-]{10,8000}){2,4}$/

/** Confidence that a value is a machine-made token; 0 if it does not look like one. */
export function tokenConfidence(value: string, quoted: boolean): number {
  if (value.length < 10 || /\s/.test(value) || isOption(value)) return 0
  if (bootstrapToken.test(value)) return publishedSamples.has(value) ? 0 : 0.93
  if (jwtShape.test(value)) return isMonotonous(value.split('.').at(-1) ?? '') || masked.test(value) ? 0 : 0.85
  if (value.length > 512 || isReference(value, quoted) || isPlaceholder(value)) return 0
  const digits = value.replace(/\D/g, '').length
  const bits = entropy(value)
  if (/^[0-9a-f]+$/i.test(value)) return value.length >= 16 && bits >= 2.7 && digits < value.length ? 0.93 : 0
  if (looksLikeWords(value)) return 0
  if (digits === 0) return value.length >= 16 && bits >= 3.3 && isScrambled(value) ? 0.6 : 0
  if (bits < 3) return value.length >= 12 && bits >= 2.8 && countTurns(value) >= 3 ? 0.6 : 0
  return value.length >= 16 && bits >= 3.3 ? 0.93 : 0.6
}

/** Base64 of words and spaces, also behind the name of a user. */
const isEncodedProse = (value: string) =>
  /^[A-Za-z0-9+/]{12,}={0,2}$/.test(value) &&
  /^(?:\w+:)?[A-Za-z]+(?: [A-Za-z]+)+[.!?]?$/.test(Buffer.from(value, 'base64').toString('latin1'))

/** Letters only, in a mix that no language has: changing letter case, or hardly any vowels. */
export function isScrambled(value: string): boolean {
  const letters = value.replace(/[^A-Za-z]/g, '')
  if (letters.length < value.length * 0.9) return false
  const turns = letters.match(/[a-z](?=[A-Z])/g)?.length ?? 0
  if (turns >= 3 && /[A-Z]{2}/.test(letters)) return turns >= letters.length / 7
  const vowels = letters.match(/[aeiouy]/gi)?.length ?? 0
  return vowels / letters.length < 0.2 || /[bcdfghjklmnpqrstvwxz]{7}/i.test(letters)
}

/** `OAuth2SecurityScheme`: three or more words, each followed by at most one digit. */
const camelWords = /^[A-Z]{0,4}[a-z]{2,16}\d?(?:[A-Z]{1,3}[a-z]{2,16}\d?){2,8}$/

/** Letters whose case changes more often than in a name of words. */
const isChopped = (value: string) => {
  const words = value.match(/[A-Z]+[a-z]*|^[a-z]+/g) ?? []
  return words.length >= 7 && value.length / words.length < 3.4 && /^[A-Za-z]+$/.test(value)
}

/** `app-db-2`, `SalesResults-1.2`, `fetchUserById`: words and small numbers without a random part. */
function looksLikeWords(value: string): boolean {
  const segments = value.split(/[-_.:/@ ]+/).filter(Boolean)
  const plain = segments.filter((segment) => /^(?:[A-Za-z]{1,40}\d{0,2}|[a-z]{2,8}\d{3,5}|\d{1,4}|v\d+)$/.test(segment))
  if (segments.length > 1 && plain.length === segments.length) return true
  if (segments.length > 2 && plain.length >= segments.length - 1 && segments.every((segment) => segment.length < 12))
    return true
  if (isChopped(value)) return false
  return /^(?:[a-z]+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+|[A-Z]+)\d{0,2}$/.test(value) || camelWords.test(value)
}

const countClasses = (value: string) =>
  [/\p{Ll}/u, /\p{Lu}/u, /\d/, /[^\p{L}\p{N}\s]/u].filter((kind) => kind.test(value)).length

/** Contains three of lower case, upper case, digits and special characters. */
export const isMixed = (value: string) => countClasses(value) >= 3

/** Words in labels of forms and in password rules. */
const aboutPasswords =
  /\b(?:min|max|at least|at most|characters?|chars|digits?|letters?|symbols?|steps?|days?|hours?|minutes?|times|mindestens|zeichen|tage|au moins|caract|al menos|almeno|caratter|pelo menos|minstens|tekens|znak|символ|字符|文字)\b/iu
/** Names of standards, versions and machines, and words followed by a number. */
const technicalName =
  /^(?:[A-Z\d]+(?:[-_./][A-Z\d]+)*|[a-z\d]+(?:[-_.][a-z\d]+)+|(?:[A-Z][a-z]+|[A-Z]{2,6}[a-z]*)(?:[-_. ]?\d{1,2})?(?:[-_./](?:[A-Z][a-z]+|[a-z]+|[A-Z]+)?\d{0,2})*|[A-Za-z]+\/\d[\d.]*|[\w.-]+\(\d\w?\)?|(?:[A-Z\d]{2,12}|[A-Z]?[a-z]{1,20}\d{0,2}|\d)(?:[-_./](?:[A-Z\d]{2,12}|[A-Z]?[a-z]{1,20}\d{0,2}|\d))+|[A-Z]?[a-z]{1,5}\d{1,3}|[A-Za-z]+\d{1,2}[a-z]+|[A-Z]*#\d+|[A-Za-z]{2,40}=[A-Za-z]{1,20}|[\d./:-]+)$/

/** A commit, short or in full. */
const commit = /^(?:[\da-f]{7}|[\da-f]{40})$/

/** `NIST-800-63B`, `srv-01`, `ssh-keygen(1)`, `Windows10`, `17.05.2024`: in a sentence, these are not passwords. */
export const isTechnical = (value: string) =>
  technicalName.test(value) ||
  commit.test(value) ||
  technical.test(value) ||
  /^(?:[a-z_][\w-]{0,24}|[A-Z_]{2,24})=/.test(value)

const separators = ['-', '_', '.', ' ']

/** Four or more words separated by the same character: `lamp-orbit-cargo-violin`. */
export function isPassphrase(value: string): boolean {
  if (value.length < 16 || value.length > 120) return false
  return separators.some((separator) => {
    const words = value.split(separator)
    return (
      words.length >= 4 &&
      words.length <= 24 &&
      new Set(words).size === words.length &&
      words.every((word) => /^\p{Ll}{3,10}$/u.test(word) && !standIns.has(word))
    )
  })
}

/** Words and a number separated by the same character: `lamp-orbit-4821`. Elsewhere it is the name of a machine. */
export const isNumberedPassphrase = (value: string): boolean =>
  value.length <= 64 &&
  /^\p{Ll}{3,12}(?:([-_.])\p{Ll}{3,12})(?:\1\p{Ll}{3,12})*\1\d{2,6}$/u.test(value) &&
  !isPlaceholder(value)

/** Letters of both cases, digits and a special character between them: nothing else in a sentence looks like that. */
export function isStrongPassword(value: string): boolean {
  return (
    /^(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[^\s"'`()[\]{}<>;,|\\=]{8,64}$/.test(value) &&
    /\w[!@#$%^&*?+~]+\w/.test(value) &&
    !/[?&]\w+=|^\W/.test(value)
  )
}

/** A password that no word for it is needed to recognize: all kinds of characters and a number. */
export const isUnmistakable = (value: string) =>
  value.length >= 8 &&
  countClasses(value) === 4 &&
  /\d{2}/.test(value) &&
  passwordConfidence(value, false, false) >= 0.9

/** Confidence that a value is a password chosen by a person. */
export function passwordConfidence(value: string, quoted: boolean, spoken: boolean): number {
  if (value.length < 5 || value.length > 128 || (/\s/.test(value) && !quoted) || isOption(value)) return 0
  if (isReference(value, quoted) || isPlaceholder(value)) return 0
  if (/\s/.test(value) && aboutPasswords.test(value)) return 0
  if (isPassphrase(value)) return 0.8
  const classes = countClasses(value)
  const distinct = new Set(value).size
  if (distinct < 4 || classes < 2 || /^0x[\da-f]+$/i.test(value)) return 0
  const hasDigit = /\d/.test(value)
  const hasSymbol = /[^\p{L}\p{N}\s_.-]/u.test(value)
  if (!hasDigit && !hasSymbol) return 0
  if (/^[a-z]+(?:[-_.][a-z0-9]+)+$/.test(value) || (!hasDigit && looksLikeWords(value))) return 0
  if (/^[A-Z]{2,12}(?:[-_.][A-Z\d]{1,6})+$/.test(value)) return 0
  if (/^[A-Za-z]{1,12}[-_.]?\d$/.test(value) || camelWords.test(value)) return 0
  if (/\s/.test(value) && (!hasDigit || value.split(/\s+/).length > 4)) return 0
  if (spoken) return value.length >= 6 && (hasDigit || classes >= 3) ? 0.8 : 0
  if (!quoted && /^[a-z]+\d{1,4}$/.test(value)) return value.length >= 8 ? 0.55 : 0
  return classes >= 3 || value.length >= 10 ? 0.93 : 0.8
}

const seedLabel = /otp|2fa|mfa|two[-_ ]?factor|authenticator|seed|setup[-_ ]?key/i

/** A seed of one-time passwords: base32 beside a name for such a seed. */
export const isOneTimeSeed = (label: string, value: string) =>
  seedLabel.test(label) &&
  /^[A-Z2-7]{16,64}={0,6}$/.test(value) &&
  !isUnfilled(value) &&
  !isMonotonous(value) &&
  (/\d/.test(value) || isScrambled(value))

/** A hexadecimal value beside the other inputs of a key derivation is a published test vector. */
export const isTestVector = (value: string, around: string) =>
  /^(?:[\da-f]{2}){8,}$/i.test(value) && /\b(?:salt|iterations?|dk_?len|key_?len|vectors?|rounds)\b/i.test(around)

/** The id or fingerprint of a public key for signatures: `upstream signing key 3D…`, `releaseManagerKey`. */
export const isFingerprint = (label: string, value: string) =>
  (/signing/i.test(label) && /^[0-9A-F]{40}$/.test(value)) ||
  (/release|maintainer|[gp]pg/i.test(label) && /^(?:[0-9a-f]{16}|[0-9a-f]{40})$/i.test(value))

const emptyWords =
  /^(?:password|passwd|pass|pwd|secret|changeme|change_me|none|null|nil|true|false|yes|no|off|on|undefined|string|required|optional|prompt|ask|0|1)$/i

/** Whether it is a mask, a template, or a word in the place of a value. */
export const isUnfilled = (value: string) =>
  masked.test(value) ||
  isTemplate(value) ||
  isSpoken(value) ||
  emptyWords.test(value) ||
  publishedSamples.has(value) ||
  countedSeed.test(value) ||
  arrayType.test(value) ||
  isEncodedProse(value)

/** A password in a configuration file is real, however weak, unless it is a placeholder or a reference. */
export function configuredConfidence(value: string): number {
  if (value.length < 5 || value.length > 128 || isUnfilled(value) || isReference(value, false)) return 0
  if (new Set(value).size < 4) return 0
  return passwordConfidence(value, true, false) || 0.55
}
