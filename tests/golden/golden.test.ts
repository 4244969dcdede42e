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
const MAX_MEAN_CALLS = 1.3
/** What the texts of all replies to a question take, in bytes. */
const MAX_MEAN_TEXT_BYTES = 700

let estate: GoldenEstate
beforeAll(async () => {
  estate = await openGoldenEstate()
}, 600_000)
afterAll(() => estate.close())

type Input = Record<string, unknown>

/** What each question took: its calls, and the bytes of the texts of their replies. */
const costs = new Map<GoldenQuestion, { calls: number; bytes: number }>()
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/**
 * Calls the tool, and follows what the text of the reply says: the corrected call, else the first suggestion, word for
 * word, in the place that is named.
 */
async function follow({
  tool,
  input,
}: Pick<GoldenQuestion, 'tool' | 'input'>): Promise<{ answer: Input; calls: number; bytes: number }> {
  let next: { tool: string; input: Input } = { tool, input }
  let bytes = 0
  for (let calls = 1; ; calls++) {
    const { structuredContent, isError, content } = await estate.callTool(next.tool, next.input)
    const text = content.map((part) => String(part.text)).join('\n')
    bytes += Buffer.byteLength(text)
    if (isError !== true && structuredContent !== undefined) {
      const meant = findMeant(next.input, structuredContent)
      if (meant === undefined) return { answer: structuredContent, calls, bytes }
      next = { tool: next.tool, input: meant }
      continue
    }
    if (calls === MAX_CALLS) throw new Error(`no answer after ${calls} calls: ${text}`)
    const [, fix] = /^fix: (.*)$/m.exec(text) ?? []
    const [, path] = /^\w+(?: \(\w+\))? at ([^:]+): |^- ([^:]+): /m.exec(text)?.filter(Boolean) ?? []
    const [, value] = /^did you mean \([^)]*\): ([^,(\n]*[^,(\n ])/m.exec(text) ?? []
    if (fix !== undefined) {
      const call = JSON.parse(fix) as { tool: string; arguments: Input }
      next = { tool: call.tool, input: call.arguments }
    } else if (path !== undefined && value !== undefined) {
      next = { tool: next.tool, input: replaceAt(next.input, path, value) }
    } else throw new Error(`nothing to follow: ${text}`)
  }
}

interface Suggesting {
  message: string
  suggestions?: { key: string; value: string }[]
}

/** The call with the first suggestion in place of a filter value that nothing has; undefined where all values exist. */
function findMeant(input: Input, { warnings = [] }: { warnings?: Suggesting[] }): Input | undefined {
  const { filters = {} } = input as { filters?: Record<string, string[]> }
  for (const { message, suggestions: [first] = [] } of warnings) {
    const asked = Object.entries(filters).find(([, values]) => values.some((value) => message.includes(value)))
    if (first === undefined || asked === undefined) continue
    const { [asked[0]]: _, ...others } = filters
    return { ...input, filters: { ...others, [first.key]: [first.value] } }
  }
  return undefined
}

function replaceAt(input: Input, path: string, value: string): Input {
  const copy = structuredClone(input)
  const keys = path.split(/[.[\]]+/).filter(Boolean)
  const holder = keys.slice(0, -1).reduce<Record<string, unknown>>((inner, key) => inner[key] as Input, copy)
  holder[keys.at(-1) ?? ''] = value
  return copy
}

test.each(goldenQuestions.map((question) => [question.words, question] as const))('%s', async (_, question) => {
  const { answer, calls, bytes } = await follow(question)
  costs.set(question, { calls, bytes })
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

test('there are enough questions, and enough with a wrong first call', () => {
  expect(goldenQuestions.length).toBeGreaterThanOrEqual(120)
  expect(goldenQuestions.filter(({ wrong }) => wrong).length).toBeGreaterThanOrEqual(40)
  expect(new Set(goldenQuestions.map(({ words }) => words)).size).toBe(goldenQuestions.length)
})

test('the questions take one call at the median, few on average, and short texts', () => {
  const all = goldenQuestions.flatMap((question) => costs.get(question) ?? [])
  expect(all).toHaveLength(goldenQuestions.length)
  const calls = all.map((cost) => cost.calls).sort((a, b) => a - b)
  expect(calls[Math.floor(calls.length / 2)]).toBe(1)
  expect(meanOf(calls)).toBeLessThanOrEqual(MAX_MEAN_CALLS)
  expect(meanOf(all.map(({ bytes }) => bytes))).toBeLessThanOrEqual(MAX_MEAN_TEXT_BYTES)
})
