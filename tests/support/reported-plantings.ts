import {
  createRandom,
  credentials,
  digits,
  letters,
  personalData,
  type Random,
  type Value,
} from './marked-plantings.ts'
import { deobfuscate } from './plantings.ts'
import { writings } from './writings.ts'

/** A value, what a detector needs around it, and the part that must not be shown. */
interface Reported {
  bare: string
  text: string
  secret: string
}

/** Not sought: the prefix by which a vendor is known, and beginnings that all values of a kind have. */
const publicStart =
  /^(?:AKIA|ghp_|glpat-|xoxb-|sk_live_|npm_|SG\.|password: |Bearer |eyJ\w+\.eyJ\w+\.|-----BEGIN PRIVATE KEY-----\n\w{21}|https:.*=|DE\d\d 3704 0044 )/

function toReported({ text, part }: Value): Reported {
  const bare = text.replace(/^(?:password: |Bearer )|^https:.*=/, '')
  const isLogin = text.startsWith('postgres:')
  return { bare, text, secret: isLogin ? part : text.replace(publicStart, '').replace(/-----END.*\n$/, '') }
}

const lower = 'abcdefghijklmnopqrstuvwxyz'
const plain = (bare: string, secret = bare, text = bare): Reported => ({ bare, text, secret })

const more: Record<string, (random: Random) => Reported> = {
  email: ({ pick }) => {
    const name = `${pick(lower, 7)}.${pick(lower, 6)}`
    return plain(`${name}@globex.dev`, name)
  },
  phone: ({ pick }) => {
    const number = `170 ${pick('123456789', 7)}`
    return plain(`+49 ${number}`, number, `phone +49 ${number}`)
  },
  'us phone': ({ pick }) => {
    const number = `415-555-${pick('23456789', 4)}`
    return plain(number, number, `call me at ${number}`)
  },
  'api key': ({ pick }) => {
    const key = `k7${pick(letters, 22)}4Q`
    return plain(key, key, `api_key = "${key}"`)
  },
  'chosen password': ({ pick }) => {
    const word = `Wint${pick(lower, 3)}!${pick(digits, 4)}`
    return plain(word, word, `password: ${word}`)
  },
}

const fromValues = [...Object.entries(credentials), ...Object.entries(personalData)]
  // Keys in base64 are one value with the key itself.
  .filter(([name]) => !/base64/i.test(name))
  .map(([name, make]) => [name, (random: Random) => toReported(make(random))] as const)
const kinds: readonly (readonly [string, (random: Random) => Reported])[] = [...fromValues, ...Object.entries(more)]
const KINDS = 60

export const disguiseNames = [...Object.keys(writings), 'cut'] as const

/** One value of its own for a place, in one disguise. */
export interface Planting extends Reported {
  name: string
  disguised: string
}

/** The value with a number, of 60 for each place and disguise. */
export function plantReported(number: number, place: string, disguise: string): Planting {
  const [kind = '', make] = kinds[number % kinds.length] ?? []
  const name = `${kind} ${number}, ${disguise} in ${place}`
  const reported = make?.(createRandom(name)) ?? plain('')
  const { bare } = reported
  const write = writings[disguise] ?? ((text: string) => `see ${text.slice(0, Math.ceil(text.length * 0.7))}`)
  return { ...reported, name, disguised: write(bare) }
}

export const listNumbers = () => Array.from({ length: KINDS }, (_, number) => number)

const MIN_PIECE = 5
const LONG = 8
const LONG_NUMBER = 12
const toBare = (text: string) => text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
const omission = /^(?:\*\*|[\u2022\u2026])/
const omitted = /(?:\*\*|[\u2022\u2026])$/

/** Finds in texts five characters in a row of a secret beside a mark of omission, or eight anywhere. */
export class SecretFinder {
  readonly #pieces = new Map<string, { name: string; secret: string }>()

  add({ name, secret }: Planting): void {
    for (const form of new Set([secret.toLowerCase(), toBare(secret)])) {
      for (let at = 0; at + MIN_PIECE <= form.length; at++) {
        const piece = form.slice(at, at + MIN_PIECE)
        if (toBare(piece) === piece) this.#pieces.set(piece, { name, secret: form })
      }
    }
  }

  /** The names of what was found, each with the text around it. */
  find(text: string): Map<string, string> {
    const found = new Map<string, string>()
    for (const each of new Set([text.toLowerCase(), deobfuscate(text).toLowerCase()])) {
      for (let at = 0; at + MIN_PIECE <= each.length; at++) {
        const { name = '', secret = '' } = this.#pieces.get(each.slice(at, at + MIN_PIECE)) ?? {}
        if (name === '') continue
        let end = at + MIN_PIECE
        while (end < each.length && secret.includes(each.slice(at, end + 1))) end++
        const isCut = omitted.test(each.slice(Math.max(0, at - 2), at)) || omission.test(each.slice(end, end + 2))
        // Digits beside other digits or letters belong to a number or a hash.
        const isNumber = /[\da-z]/.test(each.charAt(at - 1) + each.charAt(end)) && /^\d+$/.test(each.slice(at, end))
        if (end - at >= (isNumber ? LONG_NUMBER : LONG) || (isCut && !isNumber))
          found.set(name, JSON.stringify(each.slice(Math.max(0, at - 60), end + 20)))
        at = end - MIN_PIECE
      }
    }
    return found
  }
}
