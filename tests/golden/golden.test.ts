import { afterAll, beforeAll, expect, test } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import type { GoldenQuestion } from './asking.ts'
import { type GoldenEstate, openGoldenEstate } from './estate.ts'
import { rightQuestions } from './right-questions.ts'
import { wrongQuestions } from './wrong-questions.ts'

const goldenQuestions = [...rightQuestions, ...wrongQuestions]
const MOST_CALLS = 4
/** What an answer may take, in bytes of JSON, when the call does not ask for more. */
const MOST_BYTES = 24_576

let estate: GoldenEstate
beforeAll(async () => {
  estate = await openGoldenEstate()
}, 120_000)
afterAll(() => estate.close())

type Input = Record<string, unknown>

/** Asks, and follows what the replies say: the corrected call, else the first suggestion, word for word, in its place. */
async function follow({
  tool,
  input,
}: Pick<GoldenQuestion, 'tool' | 'input'>): Promise<{ answer: Input; calls: number }> {
  let next: { tool: string; input: Input } = { tool, input }
  for (let calls = 1; ; calls++) {
    try {
      return { answer: await estate.ask(next.tool, next.input), calls }
    } catch (error) {
      if (!(error instanceof AppError) || calls === MOST_CALLS) throw error
      const { fix, suggestions = [], issues = [] } = error.facts
      const [suggestion] = suggestions
      if (fix !== undefined) next = { tool: fix.tool, input: fix.arguments }
      else if (suggestion !== undefined && issues[0] !== undefined) {
        next = { tool: next.tool, input: replaceAt(next.input, issues[0].path, suggestion.value) }
      } else throw error
    }
  }
}

function replaceAt(input: Input, path: string, value: string): Input {
  const copy = structuredClone(input)
  const keys = path.split(/[.[\]]+/).filter(Boolean)
  const holder = keys.slice(0, -1).reduce<Record<string, unknown>>((inner, key) => inner[key] as Input, copy)
  holder[keys.at(-1) ?? ''] = value
  return copy
}

test.each(goldenQuestions.map((question) => [question.words, question] as const))('%s', async (_, question) => {
  const { answer, calls } = await follow(question)
  const pick = question.pick ?? (({ value }: Input) => value)
  expect(pick(answer)).toEqual(question.expected(estate))
  expect(calls > 1).toBe(question.wrong === true)
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MOST_BYTES)
})

test('there are enough questions, and enough that begin wrong', () => {
  expect(goldenQuestions.length).toBeGreaterThanOrEqual(60)
  expect(goldenQuestions.filter(({ wrong }) => wrong).length).toBeGreaterThanOrEqual(20)
  expect(new Set(goldenQuestions.map(({ words }) => words)).size).toBe(goldenQuestions.length)
})
