import { credentialDisguises, credentials, disguises, personalData } from './planted.ts'

/** A credential or personal data in one of its disguises. */
export interface Planting {
  name: string
  text: string
  isCredential: boolean
}

const toPlantings = (values: Record<string, string>, written: typeof disguises, isCredential: boolean): Planting[] =>
  Object.entries(values).flatMap(([name, value]) =>
    Object.entries(written).map(([disguise, write]) => ({
      name: `${name}, ${disguise}`,
      text: write(value),
      isCredential,
    })),
  )

/** Every value in every disguise; neighbours differ in both. */
export const plantings: readonly Planting[] = mix([
  ...toPlantings(credentials, credentialDisguises, true),
  ...toPlantings(personalData, disguises, false),
])
export const plantedCredentials: readonly Planting[] = mix(plantings.filter(({ isCredential }) => isCredential))

function mix(all: readonly Planting[]): Planting[] {
  const step = [37, 41, 43, 47].find((prime) => all.length % prime !== 0) ?? 1
  return all.map((_planting, at) => all[(at * step) % all.length] as Planting)
}

/** The part of a value that no reply needs to be understood. */
const secretParts: Readonly<Record<string, string>> = {
  password: 'Tr0ub4dor&3xYz',
  database: 'Qx7vLm29pT',
  query: 'Zx81kdLqpM2nbTr',
  bearer: 'DEF123456ghiJKL7890',
  card: '1488 0343 6467',
  iban: '3704 0044 0532',
  ssn: '536-22-8145',
  nationalId: '9217.0769.85',
}
const toSecretPart = (name: string, value: string) =>
  secretParts[name] ?? (value.length > 60 ? value.replace(/\s/g, '').slice(-60, -30) : value.slice(-12))

const soughtParts: readonly [string, string][] = [
  ...Object.entries({ ...credentials, ...personalData }).map(([name, value]): [string, string] => [
    name,
    toSecretPart(name, value),
  ]),
  ...Object.entries(credentials)
    .filter(([, value]) => value.length <= 60)
    .map(([name, value]): [string, string] => [
      `${name} in base64`,
      Buffer.from(value).toString('base64').replace(/=+$/, '').slice(-16),
    ]),
  // Line breaks of a key are escaped in JSON.
  ['pem in lines', (credentials.pem ?? '').split('\n')[1]?.slice(-24) ?? ''],
]

const fromEscape = (_whole: string, code: string) => String.fromCharCode(Number.parseInt(code, 16))

function unescapePercents(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString())
}

/** The text without the disguises that are used here, written without the product's own reading of them. */
export function deobfuscate(text: string): string {
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

/** The names of what was planted and can be read in a text, its bytes or its disguises. */
export function findPlanted(text: string): string[] {
  const plain = deobfuscate(text)
  return soughtParts.filter(([, part]) => text.includes(part) || plain.includes(part)).map(([name]) => name)
}
