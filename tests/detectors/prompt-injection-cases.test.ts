import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'
import { ownCases } from './prompt-injection/cases.ts'

const isFound = (text: string) => detectText({ id: 'case', text, types: ['PROMPT_INJECTION'] }).findings.length > 0
const groups = [...new Set(ownCases.map(({ language, topic }) => `${language} ${topic}`))]

describe('test sentences', () => {
  it.each(groups)('%s: attempts are found and similar harmless sentences are not', (group) => {
    const cases = ownCases.filter(({ language, topic }) => `${language} ${topic}` === group)
    const wrong = cases.filter(({ text, isAttempt }) => isFound(text) !== isAttempt)
    expect(wrong.map(({ text }) => text)).toEqual([])
  })

  it('include at least ten attempts and ten harmless ones for each topic in 12 languages', () => {
    const count = (group: string, wanted: boolean) =>
      ownCases.filter(({ language, topic, isAttempt }) => `${language} ${topic}` === group && isAttempt === wanted)
        .length
    const full = groups.filter((group) => count(group, true) >= 10 && count(group, false) >= 10)
    expect(new Set(full.map((group) => group.split(' ')[0])).size).toBe(12)
    expect(full).toHaveLength(6 * 12 + 1)
  })
})
