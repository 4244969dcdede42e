import { dimensions } from '../charts/dimensions.ts'
import { closest } from '../kernel/suggest.ts'
import { type Bound, readRange } from '../kernel/time-range.ts'
import { findZone } from '../kernel/zone.ts'
import { grains, ranges, zoneOf } from './range.ts'
import { changeState, type Route, type State } from './route.ts'

/** What an address asks for that does not exist, and the address without it or with what is nearest. */
export interface AddressProblem {
  messages: readonly string[]
  corrected: string
}

interface Problem {
  message: string
  change: Record<string, readonly string[] | undefined>
}

type Values = readonly string[] | undefined

/** The keys of pages whose numbers depend on them, with the values of those that have a fixed list. */
const common: Readonly<Record<string, Values>> = {
  ...Object.fromEntries(dimensions.map(({ name, values }) => [name, values])),
  from: undefined,
  to: undefined,
  tz: undefined,
}
export const orders = ['severity', 'newest', 'lastDetectedAt'] as const
const keysOf: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  '': { d: undefined, range: Object.keys(ranges), compare: ['off', 'on'], edit: undefined },
  explore: {
    ...common,
    metric: undefined,
    term: undefined,
    range: Object.keys(ranges),
    grain: grains,
    compare: ['off', 'on'],
    brush: undefined,
  },
  findings: {
    ...common,
    status: ['all', ...(common.status ?? [])],
    overdue: ['true', 'false'],
    sort: orders,
    q: undefined,
    id: undefined,
  },
}

/** Checks what decides which question a page asks, so that a mistake never asks another one. */
export function checkAddress(route: Route): AddressProblem | undefined {
  const known = keysOf[route.page]
  if (known === undefined || route.name !== undefined) return undefined
  const problems = [
    ...Object.entries(route.state).flatMap(([key, values]) => checkKey(known, key, values)),
    ...checkTimes(route.state),
  ]
  if (problems.length === 0) return undefined
  return {
    messages: problems.map(({ message }) => message),
    corrected: changeState(route, Object.assign({}, ...problems.map(({ change }) => change))),
  }
}

function checkKey(known: Readonly<Record<string, Values>>, key: string, values: readonly string[]): Problem[] {
  if (!Object.hasOwn(known, key)) {
    const [near] = closest(key, Object.keys(known), (name) => name, 1)
    const meant = near === undefined ? '' : `; is “${near}” meant?`
    return [
      { message: `“${key}” is not known here${meant}`, change: { [key]: undefined, ...(near && { [near]: values }) } },
    ]
  }
  const allowed = known[key]
  const isAllowed = (value: string) => allowed?.some((each) => each.toLowerCase() === value.toLowerCase()) !== false
  const wrong = values.filter((value) => !isAllowed(value))
  if (allowed === undefined || wrong.length === 0) return []
  const kept = values.flatMap((value) => (isAllowed(value) ? value : closest(value, allowed, (name) => name, 1)))
  return [
    {
      message: `${key} “${wrong.join(', ')}” does not exist; it is one of ${allowed.join(', ')}`,
      change: { [key]: kept },
    },
  ]
}

function checkTimes(state: State): Problem[] {
  const zone = state.tz?.[0]
  if (zone !== undefined && findZone(zone) === undefined) {
    return [{ message: `tz “${zone}” is not a time zone`, change: { tz: undefined } }]
  }
  const [from, to] = [state.from?.join(), state.to?.join()]
  const [start, end] = (state.brush?.[0] ?? '').split('..')
  return [
    ...checkRange(state, { from, to }, ({ from: first, to: last }) => ({ from: listOf(first), to: listOf(last) })),
    ...(state.brush !== undefined && (start === undefined || end === undefined)
      ? [{ message: `brush “${start}” is not two dates such as 2026-06-08..2026-08-02`, change: { brush: undefined } }]
      : checkRange(state, { from: start || undefined, to: end }, ({ from: first, to: last }) => ({
          brush: first === undefined || last === undefined ? undefined : [`${first}..${last}`],
        }))),
  ]
}

type Written = Record<Bound, string | undefined>
const listOf = (text: string | undefined) => (text === undefined ? undefined : [text])

function checkRange(state: State, written: Written, toChange: (written: Written) => Problem['change']): Problem[] {
  const range = readRange(written, zoneOf(state))
  if (!('problem' in range)) return []
  const { bound, problem } = range
  const isReversed = problem.startsWith('must not be after')
  const corrected = isReversed
    ? { from: written.to, to: written.from }
    : { ...written, [bound]: toNearest(written[bound] ?? '') }
  return [{ message: `${bound} “${written[bound]}” ${problem.replace(/\.$/, '')}`, change: toChange(corrected) }]
}

/** The nearest day that exists, of a text with a year, a month and a day. */
function toNearest(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})\D(\d{1,2})(?:\D(\d{1,2}))?/.exec(text.trim()) ?? []
  if (year === undefined || month === undefined) return undefined
  const near = Math.min(12, Math.max(1, Number(month)))
  const last = new Date(Date.UTC(Number(year), near, 0)).getUTCDate()
  const pad = (value: number) => String(value).padStart(2, '0')
  return [year, pad(near), ...(day === undefined ? [] : [pad(Math.min(last, Math.max(1, Number(day))))])].join('-')
}
