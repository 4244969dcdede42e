import { expect, it } from 'vitest'
import { LastingAnswer, writeLasting } from '../../src/operation/lasting-answer.ts'

const from = Date.UTC(2026, 5, 15, 12)
const until = from + 60_000
const iso = (moment: number) => new Date(moment).toISOString()
const between = (answerAt: (now: number) => unknown) =>
  LastingAnswer.between({ from, until }, answerAt(from), answerAt(until))

it('an answer that differs only in the texts of its moment is that of any moment in between', () => {
  const answerAt = (now: number) => ({ value: 1, freshness: { asOf: iso(now) }, also: [{ to: iso(now + 1) }, null] })
  const lasting = between(answerAt)
  for (const now of [from, from + 1, until - 7, until]) {
    expect(lasting?.isValidAt(now)).toBe(true)
    const answer = lasting?.at(now) ?? {}
    expect(JSON.stringify(answer)).toBe(JSON.stringify(answerAt(now)))
    expect(writeLasting('json', answer, JSON.stringify)).toBe(JSON.stringify(answerAt(now)))
  }
  expect(lasting?.isValidAt(from - 1)).toBe(false)
  expect(lasting?.isValidAt(until + 1)).toBe(false)
})

it.each([
  ['a number', (now: number) => ({ value: now })],
  ['a text of another moment', (now: number) => ({ to: iso(now + 2) })],
  ['a member', (now: number) => (now === from ? { stale: true } : { stale: true, late: true })],
  ['the order of members', (now: number) => (now === from ? { a: 1, b: 1 } : { b: 1, a: 1 })],
  ['an item', (now: number) => ({ names: now === from ? ['a'] : ['a', 'b'] })],
  ['a list for an object', (now: number) => ({ names: now === from ? ['a'] : { 0: 'a' } })],
  ['null for an object', (now: number) => ({ other: now === from ? null : {} })],
])('an answer of which %s differs does not last', (_what, answerAt) => {
  expect(between(answerAt)).toBeUndefined()
})

it('what is written for a lasting answer is written anew where it has the text of a moment by chance', () => {
  const answerAt = (now: number) => ({ asOf: iso(now), name: iso(from) })
  const answer = between(answerAt)?.at(from + 5) ?? {}
  expect(writeLasting('json', answer, JSON.stringify)).toBe(JSON.stringify(answerAt(from + 5)))
})

it('what is written for a lasting answer is written once for all moments, by each writer', () => {
  const lasting = between((now) => ({ asOf: iso(now) }))
  let count = 0
  const write = (answer: object) => {
    count += 1
    return JSON.stringify(answer)
  }
  for (const name of ['one', 'two']) {
    for (const now of [from, from + 1, from + 2]) {
      expect(writeLasting(name, lasting?.at(now) ?? {}, write)).toBe(`{"asOf":"${iso(now)}"}`)
    }
  }
  expect(count).toBe(4)
})
