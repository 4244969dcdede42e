import { createHmac } from 'node:crypto'
import type { z } from 'zod'
import type { ReadContext } from '../context.ts'
import { codeLists } from './codes.store.ts'
import { disclosures } from './disclosure.ts'
import { mapTexts } from './texts.ts'

const codeForm = /^code:[0-9a-f]{12}$/

type Context = Pick<ReadContext, 'read' | 'listCodes' | 'vault' | 'lockdownCodes'>

const list = (which: keyof typeof codeLists, { read, listCodes }: Context) =>
  listCodes?.(which) ?? read(codeLists[which])

/** The keyed hash by which lockdown shows a foreign code: always the same for a word, without revealing it. */
function toCode(key: Uint8Array, word: string): string {
  return `code:${createHmac('sha256', key).update(`lockdown code\n${word}`).digest('hex').slice(0, 12)}`
}

/** Returns how lockdown shows a code: unchanged when it is built in or defined here, else hashed. */
export async function createCodeMasker(context: Context): Promise<(code: string) => string> {
  if (context.lockdownCodes === true) return (code) => code
  const own = new Set([...(await listBuiltInCodes()), ...(await list('defined', context))])
  let key: Uint8Array | undefined
  return (code) => {
    if (own.has(code)) return code
    key ??= context.vault.fingerprintKey()
    return toCode(key, code)
  }
}

/** Imported dynamically, so that the start of the program does not load the detectors. */
async function listBuiltInCodes(): Promise<string[]> {
  const [{ detectorDescriptions }, { assetKinds, linkTypes }] = await Promise.all([
    import('../../detectors/descriptions.ts'),
    import('../../connectors/connector.ts'),
  ])
  const ofDetectors = detectorDescriptions.flatMap(({ type, category, findingTypes }) => [
    type,
    category,
    ...findingTypes,
  ])
  return [...ofDetectors, ...assetKinds, ...linkTypes, '', '(none)']
}

const holdsCode = (value: unknown): boolean =>
  typeof value === 'string'
    ? codeForm.test(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(holdsCode)

/** Replaces hashed codes in the input by the words that they represent. */
export async function resolveCodes(schema: z.ZodType, input: unknown, context: Context): Promise<unknown> {
  if (!holdsCode(input)) return input
  const codes = new Map<string, string>()
  const resolve = () =>
    mapTexts(schema, input, (leaf, text) => {
      if (!codeForm.test(text) || disclosures.get(leaf)?.shows !== 'code') return text
      const word = codes.get(text) ?? text
      codes.set(text, word)
      return word
    })
  const unresolved = resolve()
  if (codes.size === 0) return unresolved
  const key = context.vault.fingerprintKey()
  for (const word of await list('stored', context)) codes.set(toCode(key, word), word)
  return resolve()
}
