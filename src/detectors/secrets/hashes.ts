import type { Found } from './found.ts'
import { isMonotonous } from './guards.ts'

const hashShapes = [
  /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}/y,
  /\$[156]\$(?:rounds=\d{1,9}\$)?[^$\s"':]{1,32}\$[./A-Za-z0-9]{22,86}/y,
  /\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}/y,
  /\$argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,5},p=\d{1,3}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,90}/y,
  /\$[PH]\$[./A-Za-z0-9]{31}/y,
  /\$y\$[./A-Za-z0-9]{2,8}\$[./A-Za-z0-9]{8,90}\$[./A-Za-z0-9]{43}/y,
  /pbkdf2_sha(?:1|256)\$\d{3,8}\$[A-Za-z0-9]{8,40}\$[A-Za-z0-9+/]{24,90}={0,2}/y,
  /\$krb5(?:asrep|tgs|pa)\$\d{1,2}\$[^\s"'`]{80,4000}/y,
  /\$DCC2\$\d{1,7}#[^#\s]{1,64}#[0-9a-f]{32}/iy,
  /\$[89]\$[./A-Za-z0-9]{14}\$[./A-Za-z0-9]{43}/y,
  /\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{24,120}={0,2}/y,
]

export function* findHash(text: string, at: number): Generator<Found> {
  for (const shape of hashShapes) {
    shape.lastIndex = at
    const hash = shape.exec(text)?.[0]
    if (hash === undefined) continue
    if (isMonotonous(hash.split(/[$}]/).at(-1) ?? '')) return
    const end = at + hash.length
    yield {
      type: 'PASSWORD_HASH',
      start: at,
      end,
      severity: 'MEDIUM',
      confidence: 0.91,
      shown: `${hash.slice(0, 4)}•••`,
    }
    return
  }
}
