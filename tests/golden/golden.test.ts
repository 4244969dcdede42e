import { afterAll, beforeAll, expect, test } from 'vitest'
import { planted } from '../sample/planted-content.ts'
import type { GoldenQuestion } from './asking.ts'
import { type GoldenEstate, openGoldenEstate } from './estate.ts'
import { furtherQuestions, furtherWrongQuestions } from './further-questions.ts'
import { moreQuestions } from './more-questions.ts'
import { rightQuestions } from './right-questions.ts'
import { wrongQuestions } from './wrong-questions.ts'

const rightly = [...rightQuestions, ...furtherQuestions, ...moreQuestions]
const goldenQuestions = [...rightly, ...wrongQuestions, ...furtherWrongQuestions]
const MAX_CALLS = 4
/** What an answer may take, in bytes of JSON, when the call does not ask for more. */
const MAX_BYTES = 24_576
const MAX_MEAN_CALLS = 1.4

let estate: GoldenEstate
beforeAll(async () => {
  estate = await openGoldenEstate()
}, 120_000)
afterAll(() => estate.close())

type Input = Record<string, unknown>

/** The calls that each question took. */
const costs = new Map<GoldenQuestion, number>()

/**
 * Calls the tool, and follows what the text of the reply says: the corrected call, else the first suggestion, word for
 * word, in the place that is named.
 */
async function follow({
  tool,
  input,
}: Pick<GoldenQuestion, 'tool' | 'input'>): Promise<{ answer: Input; calls: number }> {
  let next: { tool: string; input: Input } = { tool, input }
  for (let calls = 1; ; calls++) {
    const { structuredContent, isError, content } = await estate.callTool(next.tool, next.input)
    const text = content.map((part) => String(part.text)).join('\n')
    if (isError !== true && structuredContent !== undefined) return { answer: structuredContent, calls }
    if (calls === MAX_CALLS) throw new Error(`no answer after ${calls} calls: ${text}`)
    const [, fix] = /^fix: (.*)$/m.exec(text) ?? []
    const [, path] = /^issues:\n- ([^:]+): /m.exec(text) ?? []
    const [, value] = /^did you mean:\n- (.*) \(/m.exec(text) ?? []
    if (fix !== undefined) {
      const call = JSON.parse(fix) as { tool: string; arguments: Input }
      next = { tool: call.tool, input: call.arguments }
    } else if (path !== undefined && value !== undefined) {
      next = { tool: next.tool, input: replaceAt(next.input, path, value) }
    } else throw new Error(`nothing to follow: ${text}`)
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
  costs.set(question, calls)
  const pick = question.pick ?? (({ value }: Input) => value)
  expect(pick(answer)).toEqual(question.expected(estate))
  // What is wrong in form only is understood as it is meant.
  if (question.wrong !== true) expect(calls).toBe(1)
  if (question.large !== true) expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MAX_BYTES)
})

test('expected answers match the planted findings and the database', () => {
  const lines = estate.findings.map(
    ({ asset, detectorType, findingType }) => `${asset.key} ${detectorType} ${findingType}`,
  )
  const wanted = planted.map(({ assetKey, detectorType, findingType }) => `${assetKey} ${detectorType} ${findingType}`)
  expect(lines.sort()).toEqual(wanted.sort())
  const listed: Record<string, number> = {}
  for (const { detectorType, severity, status } of estate.findings) {
    const group = `${detectorType} ${severity} ${status}`
    listed[group] = (listed[group] ?? 0) + 1
  }
  expect(listed).toEqual(estate.countStored())
})

test('there are enough questions, and enough that begin wrong', () => {
  expect(goldenQuestions.length).toBeGreaterThanOrEqual(120)
  expect(goldenQuestions.filter(({ wrong }) => wrong).length).toBeGreaterThanOrEqual(40)
  expect(new Set(goldenQuestions.map(({ words }) => words)).size).toBe(goldenQuestions.length)
})

test('the questions cost one call at the median, and few on average', () => {
  const all = goldenQuestions.flatMap((question) => costs.get(question) ?? [])
  expect(all).toHaveLength(goldenQuestions.length)
  const calls = [...all].sort((a, b) => a - b)
  expect(calls[Math.floor(calls.length / 2)]).toBe(1)
  expect(calls.reduce((sum, count) => sum + count, 0) / calls.length).toBeLessThanOrEqual(MAX_MEAN_CALLS)
})
