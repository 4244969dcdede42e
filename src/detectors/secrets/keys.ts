/** What a name promises: a password that someone chose, a token that a machine made, or nothing secret. */
export type KeyKind = 'password' | 'token' | undefined

export const passwordWords = [
  'pw',
  'password',
  'passwd',
  'passphrase',
  'passwort',
  'kennwort',
  'pwd',
  'pass',
  'passcode',
  'contraseña',
  'contrasena',
  'clave',
  'mot de passe',
  'motdepasse',
  'senha',
  'wachtwoord',
  'hasło',
  'haslo',
  'пароль',
  'Пароль',
  'ПАРОЛЬ',
  '密码',
  '密碼',
  'パスワード',
  '비밀번호',
  'lösenord',
  'salasana',
  'adgangskode',
  'parola',
  'jelszó',
  'şifre',
  'Şifre',
  'heslo',
  'passord',
  'κωδικός',
  'Κωδικός',
  'mật khẩu',
  'kata sandi',
  'lozinka',
  'parool',
  'psk',
  'wpa_passphrase',
  'requirepass',
  'rootpw',
  'bindpw',
  'keypass',
  'storepass',
] as const

export const tokenWords = [
  'secret',
  'token',
  'apikey',
  'api_key',
  'api-key',
  'api key',
  'accesskey',
  'access_key',
  'access-key',
  'access key',
  'authkey',
  'auth_key',
  'auth-key',
  'credential',
  'private_key',
  'privatekey',
  'private key',
  'encryption_key',
  'encryptionkey',
  'encryption key',
  'signing_key',
  'signingkey',
  'signing key',
  'master_key',
  'masterkey',
  'master key',
  'account_key',
  'accountkey',
  'storage_key',
  'service_key',
  'app_key',
  'appkey',
  'sharedaccesskey',
  'shared_key',
  'sharedkey',
  'license_key',
  'license key',
  'licence key',
  'product key',
  'deploy_key',
  '_auth',
  '"auth"',
  'nonce_key',
  'logged_in_key',
  '_salt',
  'sharedsecret',
  'client_key',
  'private-key',
  'creds',
  'consumer_key',
  'session_key',
  'webhook_key',
  'x-api-key',
  'apitoken',
  'ansible_ssh_pass',
  'secretkey',
  'geheimnis',
  'jeton',
  'clé api',
  'clave api',
] as const

const passwordSegments = new Set<string>([
  ...passwordWords,
  'passe',
  'khẩu',
  'sandi',
  'passwords',
  'userpassword',
  'dbpassword',
  'dbpass',
  'adminpassword',
  'cleartextpassword',
  'encryptedpassword',
])
/** Behind the key word these say that the value is about the secret, not the secret. */
const about = new Set(
  'hash hashes hashing id ids identifier name names type types length len size count limit limits expiry expires expire expiration exp ttl age field fields path paths file filename files dir directory url uri urls endpoint endpoints ref refs reference policy policies hint version versions algorithm alg algo format label labels prefix suffix header headers param params parameter parameters enabled disabled required valid validity validation validator regex pattern placeholder class classes provider providers manager service store storage digest checksum position index column columns attribute page pages link links location arn namespace usage usages budget kind mode status state error errors message messages description desc title help rotation scope scopes config configuration option options strategy backend source function callback handler event requirements schema min max minimum maximum strength reset history expression group owner list map set provided input inputs prompt confirm confirmation confirmed changed again match matches mismatch kv engine mount used usage rule rules resolver factory helper component icon button form dialog screen view request response endpoint exchange introspection revocation management lifetime issuer audience claim claims bucket buckets annotation signature generation generator exchanger'.split(
    ' ',
  ),
)
/** In front of it these say the same. */
const harmless = new Set(
  'public pub primary foreign sort partition cache csrf xsrf next page continuation sync cursor max min num total count is has no use needs forgot show hide reset change hashed validate invalid missing expired wrong prompt completion cached stop eos bos pad unk mask sep cls special lex syntax comment keyword punctuation line sequence dedup idempotency route lookup object registry translation bucket row hash design theme color spacing css abstract previous last end start open close first new_line unexpected expected current peek consume string number identifier operator allow require without lock request starting idempotence correlation resume authenticity verification antiforgery update policy import export'.split(
    ' ',
  ),
)

const MAX_KNOWN = 2_000
const known = new Map<string, KeyKind>()

/** Reads a name such as `spring.datasource.password`, `GITHUB_TOKEN`, `Secret access key`. */
export function kindOfKey(name: string): KeyKind {
  if (known.has(name)) return known.get(name)
  const kind = readKind(name)
  if (known.size < MAX_KNOWN) known.set(name, kind)
  return kind
}

function readKind(name: string): KeyKind {
  const segments = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const last = segments.findLastIndex((segment) => isSecretWord(segment))
  if (last < 0) return undefined
  const after = segments.slice(last + 1)
  if (after.some((segment) => about.has(segment))) return undefined
  const word = (segments[last] ?? '').replace(/\d{1,6}$/, '')
  if (passwordSegments.has(word) || /pass(?:word|wd|wort)$/.test(word)) return 'password'
  if (segments.slice(0, last).some((segment) => harmless.has(segment))) return undefined
  return 'token'
}

function isSecretWord(segment: string): boolean {
  const word = segment.replace(/\d{1,6}$/, '')
  if (passwordSegments.has(word)) return true
  return (
    /(?:password|passwd|passwort|kennwort|secret|token|apikey|accesskey|authkey|credential|cred|privatekey|secretkey|accountkey|masterkey|signingkey|encryptionkey|appkey|sharedkey)s?$/.test(
      word,
    ) ||
    word === 'auth' ||
    word === 'key' ||
    word === 'salt'
  )
}
