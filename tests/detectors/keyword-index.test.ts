import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createKeywordIndex } from '../../src/detectors/keyword-index.ts'

const keyword = fc.string({ unit: fc.constantFrom('a', 'b', 'A', '_', 'é'), minLength: 1, maxLength: 4 })

it('the keyword index reports exactly what a search for each keyword finds', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(keyword, { minLength: 1, maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'B', 'b', '_', 'é', ' '), maxLength: 60 }),
      (keywords, text) => {
        const found: string[] = []
        createKeywordIndex(keywords).scan(text, (index, start, end) => found.push(`${index}:${start}-${end}`))
        const fold = (value: string) => value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
        const expected = keywords.flatMap((wanted, index) =>
          Array.from({ length: text.length }, (_, at) => at)
            .filter((at) => fold(text).startsWith(fold(wanted), at))
            .map((at) => `${index}:${at}-${at + wanted.length}`),
        )
        expect(found.sort()).toEqual(expected.sort())
      },
    ),
  )
})
