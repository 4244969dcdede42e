import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

const Span = z.tuple([z.number().int(), z.number().int()])
const LabelledSpan = z.object({ type: z.string(), start: z.number().int(), end: z.number().int() })
/**
 * A line of a case file: `expect` names the spans that are to be found, `expectNone` or `label: 0` says that there are
 * none; with `label: 1` they are `spans`, or the whole text. Findings in `ignore` count neither way.
 */
const CaseLine = z.object({
  id: z.coerce.string(),
  text: z.string(),
  source: z.string().default('-'),
  language: z.string().default('-'),
  family: z.string().optional(),
  category: z.string().optional(),
  path: z.string().optional(),
  expect: z.array(LabelledSpan).optional(),
  expectNone: z.boolean().optional(),
  label: z.union([z.literal(0), z.literal(1)]).optional(),
  spans: z.array(Span).optional(),
  ignore: z.array(z.union([Span, z.object({ start: z.number(), end: z.number() })])).default([]),
  optional: z.array(z.object({ start: z.number(), end: z.number() })).default([]),
})

export interface ExpectedSpan {
  type: string
  start: number
  end: number
}

export interface DetectionCase {
  id: string
  text: string
  source: string
  language: string
  family: string
  path: string | undefined
  /** Empty for a clean text. */
  expected: readonly ExpectedSpan[]
  ignored: readonly { start: number; end: number }[]
}

/** Pages that quote attacks are measured apart from clean ones. */
export const QUOTING_FAMILY = 'about_injection'

/** Cases of JSONL files, gzipped or not. @throws RangeError that names the line which is no case. */
export function readCases(files: readonly string[]): DetectionCase[] {
  return files.flatMap((file) => {
    const data = readFileSync(file)
    const text = (file.endsWith('.gz') ? gunzipSync(data) : data).toString('utf8')
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line, index) => {
        const parsed = CaseLine.safeParse(JSON.parse(line))
        if (!parsed.success) throw new RangeError(`${file}:${index + 1} is no case: ${parsed.error.message}`)
        return toCase(parsed.data)
      })
  })
}

function toCase(line: z.infer<typeof CaseLine>): DetectionCase {
  const { id, text, source, language, family, category, path, expect, label, spans } = line
  const whole: [number, number][] = [[0, text.length]]
  const planted = label === 1 ? (spans ?? whole).map(([start, end]) => ({ type: '*', start, end })) : []
  const ignored = line.ignore.map((span) => (Array.isArray(span) ? { start: span[0], end: span[1] } : span))
  return {
    id,
    text,
    source,
    language,
    family: family ?? category ?? '-',
    path,
    expected: line.expectNone === true ? [] : (expect ?? planted),
    ignored: [...ignored, ...line.optional],
  }
}
