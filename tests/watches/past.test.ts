import { describe, expect, it } from 'vitest'
import { errorOf, NOON } from '../support/context.ts'
import { DAY, openWatching } from './watching.ts'

const WEEK = 7 * DAY
const condition = { kind: 'above', value: 1 }
const open = { slug: 'open', displayName: 'Open', metricSlug: 'open-findings', condition }
const finding = (id: number, weeksAgo: number, resolved?: number) => ({
  id,
  severity: 'HIGH',
  first: NOON - weeksAgo * WEEK + DAY,
  ...(resolved === undefined ? {} : { resolved: NOON - resolved * WEEK + DAY }),
})

interface Preview {
  past: { at: string; value: number | null; met: boolean | null }[]
  groups: { value: number | null }[]
}

describe('a preview of the past of a watch', () => {
  it.each([
    ['a stock', { metricSlug: 'open-findings' }],
    ['a flow over a week', { metricSlug: 'new-findings', last: '7d' }],
    ['a rate', { metricSlug: 'resolution-rate', last: '4w' }],
  ])(
    'has the values that questions about these times have: %s',
    async (_, { metricSlug, last }: { metricSlug: string; last?: string }) => {
      const watching = openWatching()
      await watching.bring([finding(1, 5, 3), finding(2, 4), finding(3, 4, 1), finding(4, 2), finding(5, 1)])
      const change = { metricSlug, condition, ...(last === undefined ? {} : { last }) }
      const preview: Preview = await watching.ask('preview_watch', { slug: 'draft', change, weeks: 6 })
      const weeks = last === undefined ? undefined : Number.parseInt(last, 10) * (last.endsWith('w') ? 7 : 1)
      const expected = await Promise.all(
        preview.past.map(async ({ at }) => {
          const to = Date.parse(at) + 1
          const from = weeks === undefined ? {} : { from: new Date(to - weeks * DAY).toISOString() }
          return (await watching.ask('query_metric', { metricSlug, ...from, to: new Date(to).toISOString() })).value
        }),
      )
      const isKnown = preview.past.map(({ value }) => value !== null)
      expect(isKnown.filter(Boolean).length).toBeGreaterThan(3)
      expect(preview.past.map(({ value }) => value)).toEqual(
        expected.map((value, index) => (isKnown[index] ? value : null)),
      )
      expect(preview.past.at(-1)?.value).toBe(preview.groups[0]?.value)
      expect(preview.past.map(({ met }) => met)).toEqual(
        preview.past.map(({ value }) => (value === null ? null : value > condition.value)),
      )
    },
  )

  it('changes members of a stored watch, and nothing that is stored', async () => {
    const watching = openWatching()
    await watching.bring([finding(1, 3), finding(2, 2)])
    await watching.ask('create_watch', open)
    const before = await watching.ask('get_watch', { slug: 'open' })
    const ask = (value: number): Promise<Preview> =>
      watching.ask('preview_watch', { slug: 'open', change: { condition: { kind: 'above', value } }, weeks: 3 })
    expect((await ask(0)).past.map(({ met }) => met)).toEqual([null, true, true, true])
    expect((await ask(1)).past.map(({ met }) => met)).toEqual([null, false, true, true])
    expect(await watching.ask('get_watch', { slug: 'open' })).toEqual(before)
  })

  it('refuses what a watch could not have', async () => {
    const watching = openWatching()
    const ask = (change: object) => errorOf(watching.ask('preview_watch', { slug: 'draft', change, weeks: 2 }))
    expect((await ask({ metricSlug: 'no-such', condition })).code).toBe('not_found')
    expect((await ask({ condition })).code).toBe('not_found')
    expect((await ask({ metricSlug: 'open-findings', condition, last: '7d' })).facts.issues).toMatchObject([
      { path: 'last' },
    ])
  })
})
