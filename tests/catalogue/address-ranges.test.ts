import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { State } from '../../src/console/model.ts'
import { readTimes, resolveRange, toAsked } from '../../src/console/range.ts'
import type { ToolAnswer } from '../../src/mcp/protocol.ts'
import { openCommandLine } from '../cli/command-line.ts'
import { askRest, exchange, openDoors } from './estate.ts'

const zones = ['UTC', 'Europe/Berlin', 'America/New_York']
const HOUR = 3_600_000
/** Clock changes in Berlin and New York, and the ends of a month and of a year. */
const days = ['2025-03-09', '2025-03-30', '2025-10-26', '2025-11-02', '2025-11-27', '2025-12-31'].map(Date.parse)

type Words = { from?: string; to?: string }

const day = fc
  .tuple(fc.constantFrom(...days), fc.integer({ min: -2, max: 2 }))
  .map(([date, more]) => new Date(date + more * 24 * HOUR).toISOString().slice(0, 10))
const word = fc.oneof(
  { weight: 4, arbitrary: day },
  { weight: 1, arbitrary: day.map((text) => text.slice(0, 7)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        day,
        fc.integer({ min: 0, max: 23 }),
        fc.constantFrom('Z', '+01:00', '-0500', '+0530', ':30.5Z', ':30,25Z', ''),
      )
      .map(([date, hour, end]) => `${date}T${String(hour).padStart(2, '0')}:00${end}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('2025-02-30', 'yesterday', 'last', '27/11/2025', '2025-11-27 10:00', '1e3') },
)
const ranges: fc.Arbitrary<Words> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ from: word, to: word }) },
  { weight: 1, arbitrary: fc.record({ from: word }) },
  { weight: 1, arbitrary: fc.record({ to: word }) },
  { weight: 1, arbitrary: word.map((both) => ({ from: both, to: both })) },
)

/** A finding every 40 minutes around each of the days. */
const detected = days.flatMap((date) =>
  Array.from({ length: 216 }, (_, index) => date + ((index - 90) * (HOUR * 2)) / 3),
)

/** Whether a word that is a day or a month includes a local date; undefined for other words. */
function isWithin(at: number, { from = '0000', to = '9999' }: Words, timeZone: string): boolean | undefined {
  if (![from, to].every((text) => /^\d{4}(-\d{2}){0,2}$/.test(text))) return undefined
  const local = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(at)
  return local.slice(0, from.length) >= from && local.slice(0, to.length) <= to
}

function get(name: string) {
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  return operation
}

test('the same words are the same range in the console, over REST and MCP, and on the command line', async () => {
  const { home, run } = openCommandLine()
  const lines = detected.map((at, index) =>
    JSON.stringify({
      asset: { key: 'page' },
      detectorType: 'SECRETS',
      findingType: 'TOKEN',
      severity: 'HIGH',
      firstDetectedAt: new Date(at).toISOString(),
      fingerprint: `f${index}`,
    }),
  )
  expect(await run(['import', '--source', 'scanner', '-'], lines.join('\n'))).toMatchObject({ code: 0 })
  const doors = openDoors({
    file: join(home, 'assay.db'),
    ids: { scan: '', openScan: '' },
    known: new Set(),
    remove() {},
  })
  const askOver = async (name: string, input: Record<string, unknown>) => {
    const { status, body } = await askRest(doors.http, get(name), input)
    const { value, total, detail, reason } = body as Record<string, unknown>
    return status < 300 ? (value ?? total) : `${reason}: ${detail}`
  }
  const metricSlug = 'total-findings'
  const byDoor = {
    rest: (words: Words, timeZone: string) => askOver('query_metric', { metricSlug, timeZone, ...words }),
    mcp: async (words: Words, timeZone: string) => {
      const input = { metricSlug, timeZone, ...words }
      const answer = (await doors.mcp.callTool('query_metric', input, exchange)) as ToolAnswer
      if (answer.isError !== true) return answer.structuredContent?.value
      const error = answer._meta?.['assay/error'] as Record<string, string> | undefined
      return `${error?.reason}: ${error?.message}`
    },
    cli: async (words: Words, timeZone: string) => {
      const flags = Object.entries(words).map(([bound, text]) => `--${bound}=${text}`)
      const { code, stdout, stderr } = await run(['query', metricSlug, ...flags, '--time-zone', timeZone, '--json'])
      return code === 0 ? JSON.parse(stdout).value : stderr
    },
    console: (words: Words, timeZone: string) => {
      const state = toState(words, timeZone)
      const question = toAsked(resolveRange(state, Date.parse('2026-01-10T10:00:00Z')), true)
      return askOver('explore_view', { metricSlug, ...question, granularity: 'month', timeZone })
    },
    consoleList: (words: Words, timeZone: string) =>
      askOver('search_findings', { total: true, ...readTimes(toState(words, timeZone)).asked }),
  }
  const problems: unknown[] = []
  let [counted, refused] = [0, 0]
  for (const words of fc.sample(ranges, 30)) {
    for (const zone of zones) {
      const { rest, mcp, cli, console, consoleList } = Object.fromEntries(
        await Promise.all(Object.entries(byDoor).map(async ([door, ask]) => [door, await ask(words, zone)])),
      )
      const within = detected.filter((at) => isWithin(at, words, zone) !== false)
      const isRefused = typeof rest === 'string'
      if (isRefused) refused++
      else counted++
      const expected = isRefused || isWithin(0, words, zone) === undefined ? rest : within.length
      const said = isRefused ? String(cli).includes(rest.slice(rest.indexOf(': ') + 2)) : cli === rest
      if (rest !== expected || mcp !== rest || !said || console !== rest || consoleList !== rest) {
        problems.push({ words, zone, expected, rest, mcp, cli, console, consoleList })
      }
    }
  }
  doors.close()
  expect(problems).toEqual([])
  expect(Math.min(counted, refused)).toBeGreaterThan(0)
}, 60_000)

/** As the console reads an address: values are separated by commas. */
const toState = (words: Words, timeZone: string): State => ({
  ...Object.fromEntries(Object.entries(words).map(([bound, text]) => [bound, text.split(',')])),
  tz: [timeZone],
})
