import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'
import { type SecretCase, secretCases } from './secrets/cases.ts'

/** Topics whose forms depend on the language. */
const inEveryLanguage = ['columns', 'headings', 'labels', 'pairs', 'sentences']
/** False alarms of collected documents; `false-alarms` has the same classes with cases to be found. */
const onlyNegative = 'harmless'
const topics = [...new Set(secretCases.map(({ topic }) => topic))]
const languagesOf = (topic: string) =>
  new Set(secretCases.filter((each) => each.topic === topic).map(({ group }) => group))

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
    const faults = secretCases.filter((each) => each.topic === topic).map(findFault)
    expect(faults.filter((fault) => fault !== undefined)).toEqual([])
  })

  it.each(topics)('%s has at least ten positive and ten negative cases for each language or group', (topic) => {
    const groups = [...languagesOf(topic)].filter((group) => group !== onlyNegative)
    for (const group of groups) {
      const cases = secretCases.filter((each) => each.topic === topic && each.group === group)
      const hits = cases.filter(({ expected }) => expected.length > 0).length
      expect(Math.min(hits, cases.length - hits), `${topic} ${group}`).toBeGreaterThanOrEqual(10)
    }
    if (inEveryLanguage.includes(topic)) expect(groups.length).toBeGreaterThanOrEqual(12)
  })
})
