import { describe, expect, it } from 'vitest'
import { detectText } from '../../src/detectors/detect-text.ts'
import { type DetectionCase, readCases } from '../bench/detect/cases.ts'
import { ownCases } from './prompt-injection/cases.ts'

const isFound = (text: string) => detectText({ id: 'case', text, types: ['PROMPT_INJECTION'] }).findings.length > 0
const groups = [...new Set(ownCases.map(({ language, topic }) => `${language} ${topic}`))]

describe('test sentences', () => {
  it.each(groups)('%s: attempts are found and similar harmless sentences are not', (group) => {
    const cases = ownCases.filter(({ language, topic }) => `${language} ${topic}` === group)
    const wrong = cases.filter(({ text, isAttempt }) => isFound(text) !== isAttempt)
    expect(wrong.map(({ text }) => text)).toEqual([])
  })
})

describe('test cases of structure', () => {
  const cases = readCases([new URL('./prompt-injection/structure.jsonl', import.meta.url).pathname])
  const families = [...new Set(cases.map(({ family }) => family))]
  const isRight = ({ id, text, path, expected }: DetectionCase) =>
    detectText({ id, text, path, types: ['PROMPT_INJECTION'] }).findings.length > 0 === expected.length > 0

  it.each(families)('%s: attempts are found and similar harmless texts are not, ten of each at least', (family) => {
    const own = cases.filter((each) => each.family === family)
    expect(own.filter((each) => !isRight(each)).map(({ id, text }) => `${id}: ${text}`)).toEqual([])
    const attempts = own.filter(({ expected }) => expected.length > 0).length
    expect(Math.min(attempts, own.length - attempts)).toBeGreaterThanOrEqual(10)
  })
})
