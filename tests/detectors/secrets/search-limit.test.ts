import { describe, expect, it } from 'vitest'
import { detectText } from '../../../src/detectors/detect-text.ts'

const valuesOf = (text: string) => {
  const { findings } = detectText({ id: 'a', text, types: ['SECRETS'] })
  return findings.map(({ start, end }) => text.slice(start, end))
}

const MANY = 2_000
const VALUE = 'Wq7!rumble'

describe('a text that repeats labels', () => {
  it('is searched again after each block of characters', () => {
    expect(valuesOf(`${'klucz '.repeat(MANY)}\n${'-'.repeat(1_024)}\nThe password is ${VALUE}.`)).toEqual([VALUE])
    expect(valuesOf(`${'password 7 '.repeat(MANY)}\n${'-'.repeat(1_024)}\npassword: ${VALUE}`)).toEqual([VALUE])
  })

  it('does not count searches for labels that have a value', () => {
    const values = Array.from({ length: 60 }, (_, at) => `Ab${at}!rumble`)
    expect(valuesOf(values.map((value) => `The password is ${value}.`).join(' '))).toHaveLength(values.length)
    expect(valuesOf(values.map((value) => `pw=${value}`).join('\n'))).toHaveLength(values.length)
  })
})
