import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readTitles } from '../support/titles.ts'
import { faults } from './faults.ts'

const NUMBERS = Array.from({ length: 50 }, (_, index) => index + 1)

describe('the table of faults', () => {
  it('numbers its faults from 1 to 50', () => {
    expect(
      Object.keys(faults)
        .map(Number)
        .sort((a, b) => a - b),
    ).toEqual(NUMBERS)
  })

  it.each(NUMBERS)('%i names existing tests', (number) => {
    const { proofs = [] } = faults[number] ?? {}
    expect(proofs.flatMap(({ tests }) => tests).length).toBeGreaterThan(0)
    for (const { file, tests } of proofs) {
      expect([file, existsSync(file)]).toEqual([file, true])
      const titles = readTitles(file)
      expect(tests.filter((title) => !titles.has(title))).toEqual([])
    }
  })
})
