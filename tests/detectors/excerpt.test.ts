import { expect, it } from 'vitest'
import { findHiddenAround, MASK_TEXT, toExcerpt } from '../../src/detectors/excerpt.ts'
import { ReportedValues } from '../../src/detectors/reported-values.ts'

it('an excerpt is short for a text of any length', () => {
  const text = 'word '.repeat(10_000)
  expect(toExcerpt(text, { start: 25_000, end: 25_004 }, []).length).toBeLessThan(120)
})

it('an excerpt also masks unmatched occurrences of the value before and after the match', () => {
  const text = 'first hunter2 then hunter2 and hunter2 last'
  const match = { start: 19, end: 26 }
  const excerpt = toExcerpt(text, match, findHiddenAround(text, [match], new ReportedValues(['hunter2'])))
  expect(excerpt).not.toContain('hunter2')
  expect(excerpt.split(MASK_TEXT).length - 1).toBe(3)
})

it('an excerpt masks the rest of a credential when only its beginning is the match', () => {
  for (const text of ['notes password: Tr0ub4dor&3xYz end', 'Bearer abcDEF123456ghiJKL7890']) {
    const word = /password|Bearer/.exec(text)
    const start = word?.index ?? 0
    const match = { start, end: start + 8, shown: 'shown' }
    const excerpt = toExcerpt(text, match, findHiddenAround(text, [match], new ReportedValues()))
    expect(excerpt).not.toMatch(/Tr0ub|DEF123/)
    expect(excerpt).toContain('shown')
  }
})
