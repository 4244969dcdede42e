import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createTokenWatch, type TokenWatch } from '../../src/access/token-watch.ts'
import { clearTokens, createToken, findHolder, openTokenLookup, revokeToken } from '../../src/access/tokens.ts'
import type { Caller } from '../../src/operation/context.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { Store } from '../../src/store/store.ts'
import { localPerson, NOON, openStore } from '../support/context.ts'
import { openAgain } from '../support/new-store.ts'

let now = NOON
let opened: ReturnType<typeof openStore>
/** As another process has it. */
let other: Store
let watch: TokenWatch
beforeEach(() => {
  now = NOON
  opened = openStore(() => now)
  other = openAgain(opened.store, () => now)
  watch = createTokenWatch({ tokens: openTokenLookup(opened.store, () => now), now: () => now, log: silentLog })
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  watch.close()
  other.close()
  opened.remove()
})

const context = () => ({ store: other, caller: localPerson, now: () => now })
const hold = (name: string, lifeMs = 60_000): Caller => {
  const { token } = createToken(context(), { name, scopes: ['read'], expiresAt: now + lifeMs })
  const holder = findHolder(opened.store, token, now)
  if (holder === undefined) throw new Error('the token does not hold')
  return holder
}
const look = () => vi.advanceTimersByTime(200)

it('aborts the requests of a token that another process revokes, and no others', () => {
  const ends = [vi.fn(), vi.fn(), vi.fn()] as const
  const [one, two] = [hold('one'), hold('two')]
  watch.follow(one, ends[0])
  watch.follow(one, ends[1])
  watch.follow(two, ends[2])
  look()
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([0, 0, 0])
  revokeToken(context(), 'one')
  look()
  look()
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
  clearTokens(context())
  look()
  expect(ends.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1])
})

it('aborts requests when their token expires: one of this server, or one of an issuer', () => {
  const foreign: Caller = { ...localPerson, id: 'https://a.example#b', token: true, expiresAt: NOON + 5000 }
  const [own, others] = [vi.fn(), vi.fn()]
  watch.follow(hold('short', 5000), own)
  watch.follow(foreign, others)
  now = NOON + 4999
  look()
  expect([own, others].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
  now = NOON + 5000
  look()
  expect([own, others].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
})

it('ignores finished requests and those of the local user', () => {
  const [over, local] = [vi.fn(), vi.fn()]
  const holder = hold('one')
  watch.follow(holder, over)()
  watch.follow(localPerson, local)
  revokeToken(context(), 'one')
  look()
  expect([over, local].map(({ mock }) => mock.calls.length)).toEqual([0, 0])
})

it('does not read tokens while no request is running', () => {
  expect(vi.getTimerCount()).toBe(0)
  const stop = watch.follow(hold('one'), () => {})
  expect(vi.getTimerCount()).toBe(1)
  stop()
  look()
  expect(vi.getTimerCount()).toBe(0)
})
