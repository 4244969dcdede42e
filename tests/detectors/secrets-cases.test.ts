import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'
import { isLong } from '../support/long.ts'
import { type SecretCase, secretCases } from './secrets/cases.ts'

const topics = [...new Set(secretCases.map(({ topic }) => topic))]
/** What is wrong with the findings of a case; nothing where they are the expected ones and no others. */
function findFault({ text, path, expected }: SecretCase): string | undefined {
  const { findings } = detectText({ id: 'case', text, path, types: ['SECRETS'] })
  const touches = (a: { start: number; end: number }, b: { start: number; end: number }) =>
    Math.min(a.end, b.end) - Math.max(a.start, b.start) >= 0.5 * Math.min(a.end - a.start, b.end - b.start)
  const missed = expected.filter((span) => !findings.some((finding) => touches(finding, span)))
  const extra = findings.filter((finding) => !expected.some((span) => touches(finding, span)))
  return missed.length + extra.length === 0 ? undefined : `${missed.length} missed, ${extra.length} too many: ${text}`
}

describe('test cases for secrets', () => {
  it.each(topics)('%s: secrets are found and look-alikes are not', (topic) => {
    const own = secretCases.filter((each) => each.topic === topic)
    const faults = own.filter((_, at) => isLong || at % 2 === 0).map(findFault)
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })
})
