import { hash } from 'node:crypto'
import { credentialDisguises, disguises } from './planted.ts'

const fromEscape = (_whole: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))

function unescapePercents(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

/** The text without the disguises that are used here, written without the product's own reading of them. */
function deobfuscate(text: string): string {
  let plain = text
  for (let round = 0; round < 3; round++) {
    const before = plain
    plain = unescapePercents(plain.replace(/\\{1,4}u\{?([0-9a-f]{4})\}?/gi, fromEscape))
      .replace(/&#8203;|[\u200b\u00ad]/g, '')
      .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
      .replace(/\\?<\/?b\\?>|\\?\*\\?\*(?!\*)/g, '')
    if (plain === before) break
  }
  return plain
}

/** Digits and letters that follow from a name alone. */
function createRandom(name: string) {
  let block = Buffer.alloc(0)
  let blocks = 0
  const next = (below: number) => {
    if (block.length < 2) block = hash('sha256', `${name} ${blocks++}`, 'buffer')
    const value = block.readUInt16BE(0)
    block = block.subarray(2)
    return value % below
  }
  const pick = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[next(alphabet.length)]).join('')
  return { next, pick }
}
type Random = ReturnType<typeof createRandom>

const digits = '0123456789'
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A value of its own for each name, and the part of it that nothing needs to be understood. */
interface Value {
  text: string
  part: string
}
const whole = (text: string, length = 10): Value => ({ text, part: text.slice(-length) })

/** What precedes the 32 bytes of an Ed25519 key in PKCS #8. */
const KEY_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

function makePem({ pick }: Random) {
  const der = Buffer.concat([KEY_HEAD, hash('sha256', pick(letters, 20), 'buffer')]).toString('base64')
  return { pem: `-----BEGIN PRIVATE KEY-----\n${der}\n-----END PRIVATE KEY-----\n`, der }
}

const jsonInBase64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

const credentials: Record<string, (random: Random) => Value> = {
  aws: ({ pick }) => whole(`AKIA${pick(upper, 16)}`),
  github: ({ pick }) => whole(`ghp_${pick(letters, 36)}`),
  gitlab: ({ pick }) => whole(`glpat-${pick(letters, 20)}`),
  slack: ({ pick }) => whole(`xoxb-2${pick(digits, 11)}-9${pick(digits, 11)}-${pick(letters, 24)}`),
  stripe: ({ pick }) => whole(`sk_live_${pick(letters, 24)}`),
  npm: ({ pick }) => whole(`npm_${pick(letters, 36)}`),
  password: ({ pick }) => whole(`password: Tr0${pick(letters, 9)}&3xYz`),
  database: ({ pick }) => {
    const part = `Q${pick(letters, 8)}7`
    return { text: `postgres://app:${part}@db.example.net/app`, part }
  },
  jwt: ({ pick }) => {
    const head = jsonInBase64({ alg: 'HS256', typ: 'JWT' })
    return whole(`${head}.${jsonInBase64({ sub: pick(digits, 10), name: 'John' })}.${pick(letters, 43)}`)
  },
  bearer: ({ pick }) => whole(`Bearer ab${pick(letters, 17)}0`),
  query: ({ pick }) => whole(`https://x.example/a?access_token=Z1${pick(letters, 13)}`),
  sendgrid: ({ pick }) => whole(`SG.${pick(letters, 22)}.${pick(letters, 43)}`),
  pem: (random) => {
    const { pem, der } = makePem(random)
    return { text: pem, part: der.slice(-10) }
  },
  pemInBase64: (random) => {
    const text = Buffer.from(makePem(random).pem).toString('base64')
    return { text, part: text.slice(-62, -52) }
  },
  keyInBase64: (random) => whole(makePem(random).der),
}

function toLuhn(payload: string): string {
  const sum = [...payload].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return payload + ((10 - (sum % 10)) % 10)
}

const inGroups = (text: string, size: number) => (text.match(new RegExp(`.{1,${size}}`, 'g')) ?? []).join(' ')

const personalData: Record<string, (random: Random) => Value> = {
  card: ({ pick }) => whole(inGroups(toLuhn(`4539${pick(digits, 11)}`), 4)),
  iban: ({ pick }) => {
    const account = `37040044${pick(digits, 10)}`
    const check = 98n - (BigInt(`${account}131400`) % 97n)
    return whole(inGroups(`DE${String(check).padStart(2, '0')}${account}`, 4))
  },
  ssn: ({ next }) => whole(`${500 + next(99)}-${11 + next(80)}-${1000 + next(8999)}`),
  nationalId: ({ pick }) => {
    const payload = `756${pick(digits, 9)}`
    const sum = [...payload].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0)
    const all = `${payload}${(10 - (sum % 10)) % 10}`
    return whole(`${all.slice(0, 3)}.${all.slice(3, 7)}.${all.slice(7, 11)}.${all.slice(11)}`)
  },
}

/** One value in one disguise. */
interface Kind {
  name: string
  isCredential: boolean
  make(random: Random): Value
  write(text: string): string
}

const listKinds = (
  makers: Record<string, (random: Random) => Value>,
  written: typeof disguises,
  isCredential: boolean,
): Kind[] =>
  Object.entries(makers).flatMap(([value, make]) =>
    Object.entries(written).map(([disguise, write]) => ({
      name: `${value}, ${disguise}`,
      isCredential,
      make,
      write,
    })),
  )

const kinds = [...listKinds(credentials, credentialDisguises, true), ...listKinds(personalData, disguises, false)]
const credentialKinds = kinds.filter(({ isCredential }) => isCredential)

interface Wanted {
  /** In keys, ids and addresses nothing else is hidden. */
  credentialsOnly?: boolean
  maxLength?: number
}

const PART = 10
const STEP = 37
/** The first characters of a part, seven bits of each. */
const START = 3
const START_MASK = (1 << (7 * START)) - 1
const hashOf = (text: string) => hash('sha256', text, 'buffer').readUInt32BE(0)

/** A text, or of what kind it is going to be. */
type Planted = string | Kind

/**
 * Gives each field one credential or personal data in one disguise after the other, each of its own, so that a leak
 * names its field.
 */
export class MarkedPlantings {
  readonly #parts = new Map<string, string>()
  readonly #starts = new Uint8Array(START_MASK + 1)
  readonly #fields = new Map<string, { texts: Planted[]; taken: number }>()

  take(field: string, { credentialsOnly = false, maxLength = Number.POSITIVE_INFINITY }: Wanted = {}): string {
    let planted = this.#fields.get(field)
    if (planted === undefined) {
      const fitting = credentialsOnly ? credentialKinds : kinds
      // Made when it is taken, unless its length has to be known.
      const texts = fitting.map((kind) => (maxLength === Number.POSITIVE_INFINITY ? kind : this.#plant(field, kind)))
      planted = { texts: texts.filter((each) => typeof each !== 'string' || each.length <= maxLength), taken: 0 }
      this.#fields.set(field, planted)
    }
    const { texts } = planted
    const step = texts.length % STEP === 0 ? STEP + 4 : STEP
    const at = (hashOf(field) + planted.taken++ * step) % texts.length
    const found = texts[at]
    if (found === undefined) return ''
    const text = typeof found === 'string' ? found : this.#plant(field, found)
    texts[at] = text
    return text
  }

  #plant(field: string, { name, make, write }: Kind): string {
    const random = createRandom(`${field}: ${name}`)
    let made = make(random)
    while (this.#parts.has(made.part.toLowerCase())) made = make(random)
    const { text, part } = made
    const note = (sought: string, form: string) => {
      const lower = sought.toLowerCase()
      this.#parts.set(lower, `${form} in ${field}`)
      this.#starts[startOf(lower, 0)] = 1
    }
    note(part, name)
    if (name.endsWith('base64') && text.length <= 60)
      note(Buffer.from(text).toString('base64').replace(/=+$/, '').slice(-PART), name)
    return write(text)
  }

  listFields(): string[] {
    return [...this.#fields.keys()]
  }

  /** Fields that have not had everything yet, and how much of it they had. */
  listUncovered(): string[] {
    return [...this.#fields].flatMap(([field, { texts, taken }]) =>
      taken < texts.length ? [`${field}: ${taken} of ${texts.length}`] : [],
    )
  }

  get counts() {
    const all = [...this.#fields.values()]
    return {
      fields: all.length,
      planted: all.reduce((sum, { texts, taken }) => sum + Math.min(taken, texts.length), 0),
    }
  }

  /** The plantings that a text, its bytes or its disguises contain in any letter case, each with the text around it. */
  find(text: string): string[] {
    const found = new Map<string, string>()
    for (const each of new Set([text.toLowerCase(), deobfuscate(text).toLowerCase()])) {
      let start = 0
      for (let end = 0; end < each.length; end++) {
        start = ((start << 7) | (each.charCodeAt(end) & 127)) & START_MASK
        const at = end + 1 - START
        if (this.#starts[start] !== 1 || at < 0) continue
        const name = this.#parts.get(each.slice(at, at + PART))
        const around = () => JSON.stringify(each.slice(Math.max(0, at - 80), at + PART + 20))
        if (name !== undefined && !found.has(name)) found.set(name, `${name}: ${around()}`)
      }
    }
    return [...found.values()]
  }
}

const startOf = (text: string, at: number) =>
  ((text.charCodeAt(at) & 127) << 14) | ((text.charCodeAt(at + 1) & 127) << 7) | (text.charCodeAt(at + 2) & 127)
