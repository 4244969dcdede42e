import { timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuthenticator, type Refusal } from '../../src/access/gatekeeper.ts'
import { createConcurrencyLimit, createLimiter } from '../../src/access/limits.ts'
import { createQueryLimiter } from '../../src/access/query-limiter.ts'
import { readToken } from '../../src/access/token.ts'
import {
  clearTokens,
  createToken,
  findHolder,
  listTokens,
  openTokenLookup,
  revokeToken,
} from '../../src/access/tokens.ts'
import { listAuditRows } from '../../src/audit/audit.store.ts'
import type { AppError } from '../../src/kernel/errors.ts'
import { Store } from '../../src/store/store.ts'
import { errorOf, localPerson, NOON, openStore } from '../support/context.ts'
import { openAgain, sqliteOnly } from '../support/new-store.ts'

vi.mock('node:crypto', async (original) => {
  const crypto = await original<typeof import('node:crypto')>()
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) }
})

const DAY = 86_400_000
let now: number
let kept: ReturnType<typeof openStore>
beforeEach(() => {
  now = NOON
  kept = openStore(() => now)
})
afterEach(() => kept.remove())

const context = () => ({ store: kept.store, caller: localPerson, now: () => now })
const make = (name = 'ci', changes: object = {}) => createToken(context(), { name, scopes: ['read'], ...changes })
const holder = (text: string) => findHolder(kept.store, text, now)

describe('a token', () => {
  it('consists of a prefix, an id, 256 random bits and a checksum', () => {
    const { id, token } = make()
    expect(token).toMatch(/^assay_[0-9a-f]{16}_[0-9a-f]{64}[0-9a-f]{8}$/)
    expect(readToken(token)?.id).toBe(id)
  })

  it('identifies its holder with its scopes and the scopes that those include', () => {
    const { id, token } = make('ada', { scopes: ['admin'] })
    const caller = holder(token)
    expect(caller).toMatchObject({ name: 'ada', id: `token/${id}`, via: 'http', token: true })
    expect([...(caller?.scopes ?? [])].sort()).toEqual(['admin', 'author', 'certify', 'propose', 'read', 'triage'])
  })

  it('is in lockdown if its creator is, who could read tenants with it otherwise', () => {
    const locked = { ...context(), caller: { ...localPerson, lockdown: true } }
    const made = createToken(locked, { name: 'open', scopes: ['admin'], lockdown: false })
    expect(made.lockdown).toBe(true)
    expect(holder(made.token)).toMatchObject({ lockdown: true })
  })

  it('is refused when any single character is changed', () => {
    const { token } = make()
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === '0' ? '1' : '0'
      expect(holder(token.slice(0, at) + other + token.slice(at + 1)), String(at)).toBeUndefined()
    }
    expect(holder(token)).toBeDefined()
  })

  it('is refused with a valid checksum but another secret', () => {
    const [first, second] = [make('a'), make('b')]
    const body = second.token.replace(second.id, first.id).slice(0, -8)
    const swapped = body + crc32(body).toString(16).padStart(8, '0')
    expect(readToken(swapped)?.id).toBe(first.id)
    expect(holder(swapped)).toBeUndefined()
  })

  it('is compared in constant time, even when its id is unknown', () => {
    const { id, token } = make()
    const body = `assay_${'0'.repeat(16)}${token.slice(6 + id.length, -8)}`
    vi.mocked(timingSafeEqual).mockClear()
    holder(token)
    holder(body + crc32(body).toString(16).padStart(8, '0'))
    expect(vi.mocked(timingSafeEqual).mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual([
      [32, 32],
      [32, 32],
    ])
  })

  it('expires after 90 days', () => {
    const { token, expiresAt } = make()
    expect(expiresAt).toBe(new Date(NOON + 90 * DAY).toISOString())
    now = NOON + 90 * DAY - 1
    expect(holder(token)).toBeDefined()
    now += 1
    expect(holder(token)).toBeUndefined()
    expect(kept.store.read((reader) => listTokens(reader, now))).toMatchObject([{ status: 'expired' }])
  })

  it('expires by the current clock, and stays revoked when the clock is set back', () => {
    const [kept, revoked] = [make('kept', { expiresAt: NOON + 2 * DAY }), make('revoked')]
    revokeToken(context(), revoked.id)
    for (const [at, holds] of [
      [NOON - DAY, true],
      [NOON + DAY, true],
      [NOON + 2 * DAY - 1, true],
      [NOON + 2 * DAY, false],
      [NOON - DAY, true],
    ] as const) {
      now = at
      expect([at, holder(kept.token) !== undefined, holder(revoked.token)]).toEqual([at, holds, undefined])
    }
  })

  it('is revoked immediately in other processes, too', () => {
    const { token, id } = make()
    const other = openAgain(kept.store, () => now)
    try {
      expect(findHolder(other, token, now)).toBeDefined()
      revokeToken(context(), id)
      expect(findHolder(other, token, now)).toBeUndefined()
    } finally {
      other.close()
    }
  })

  it('can be revoked when the disk is full', async (test) => {
    sqliteOnly('the disk of a server is its own', test)
    const { token, id } = make()
    const full = Store.open(kept.file, { now: () => now, freeBytes: () => 1 })
    const lacking = { ...context(), store: full }
    expect(() => createToken(lacking, { name: 'more', scopes: ['read'] })).toThrow('nearly full')
    expect(revokeToken(lacking, id).status).toBe('revoked')
    full.close()
    expect(holder(token)).toBeUndefined()
  })

  it('records its last use at most every five minutes', () => {
    const { token } = make()
    const lastUsedAt = () => kept.store.read((reader) => listTokens(reader, now))[0]?.lastUsedAt
    expect(lastUsedAt()).toBeNull()
    holder(token)
    expect(lastUsedAt()).toBe(new Date(NOON).toISOString())
    now += 299_999
    holder(token)
    expect(lastUsedAt()).toBe(new Date(NOON).toISOString())
    now += 1
    holder(token)
    expect(lastUsedAt()).toBe(new Date(NOON + 300_000).toISOString())
  })

  it('is stored as a hash only', () => {
    const { token } = make()
    const rows = kept.store.read((reader) => reader.prepare('SELECT * FROM access_token').all())
    const secret = token.slice(-72, -8)
    const bytes = Buffer.from(JSON.stringify([rows, listAudit()]))
    expect(bytes.includes(secret)).toBe(false)
    expect((rows[0] as { digest: Buffer }).digest).toHaveLength(32)
  })

  it('is in the audit trail when it is made, revoked and removed', () => {
    const { id } = make()
    revokeToken(context(), 'ci')
    expect(clearTokens(context())).toBe(1)
    expect(listAudit().map(({ action, kind, name }) => [action, kind, name])).toEqual([
      ['delete', 'token', id],
      ['revoke', 'token', id],
      ['create', 'token', id],
    ])
  })

  it.each([
    ['no scope', { scopes: [] }, 'invalid_input'],
    ['an end in the past', { expiresAt: NOON }, 'invalid_input'],
    ['an end in a hundred years', { expiresAt: NOON + 36_500 * DAY }, 'invalid_input'],
    ['a name of control characters', { name: 'a\u0007' }, 'invalid_input'],
    ['the name of another token', { name: 'taken' }, 'conflict'],
  ])('cannot be created with %s', (_what, changes, code) => {
    make('taken')
    expect(() => make('ci', changes)).toThrow(expect.objectContaining({ code }))
  })
})

const listAudit = () => kept.store.read((reader) => listAuditRows(reader, { kind: 'token', limit: 50 }))

describe('the gatekeeper', () => {
  const open = (changes: object = {}) => {
    const refusals: Refusal[] = []
    let clock = 0
    const keeper = createAuthenticator({
      tokens: openTokenLookup(kept.store, () => now),
      clock: () => clock,
      local: localPerson,
      always: false,
      onRefusal: (refusal) => refusals.push(refusal),
      ...changes,
    })
    const ask = (authorization?: string, address = '10.0.0.1') => keeper.authenticate({ authorization, address })
    return { ask, refusals, wait: (ms: number) => (clock += ms) }
  }

  it('accepts the local user while there are no tokens', async () => {
    const { ask } = open()
    expect(await ask()).toBe(localPerson)
    expect(await ask('Bearer whatever')).toBe(localPerson)
  })

  it('requires a token once one exists, even if it is revoked or expired', async () => {
    const { ask } = open()
    const { id } = make()
    expect((await errorOf(ask())).code).toBe('unauthorized')
    revokeToken(context(), id)
    expect((await errorOf(ask())).code).toBe('unauthorized')
    clearTokens(context())
    expect(await ask()).toBe(localPerson)
  })

  it('always requires a token on an address that other machines can reach', async () => {
    expect((await errorOf(open({ always: true }).ask())).code).toBe('unauthorized')
  })

  it('refuses other schemes, tokens in other places and overlong tokens', async () => {
    const { ask } = open()
    const { token } = make()
    expect((await ask(`Bearer ${token}`)).name).toBe('ci')
    expect((await ask(`bearer ${token}`)).name).toBe('ci')
    for (const wrong of [`Basic ${token}`, token, `Bearer ${token} ${token}`, `Bearer ${'a'.repeat(50_000)}`]) {
      expect((await errorOf(ask(wrong, wrong.slice(0, 9)))).code).toBe('unauthorized')
    }
  })

  it('allows ten wrong tokens a minute from one address, and still accepts the right one', async () => {
    const { ask, wait } = open()
    const { token } = make()
    const tryOften = async (times: number) => {
      const codes: string[] = []
      for (let n = 0; n < times; n++) codes.push((await errorOf(ask('Bearer assay_wrong'))).code)
      return codes
    }
    expect(await tryOften(12)).toEqual([...Array(10).fill('unauthorized'), 'rate_limited', 'rate_limited'])
    expect((await errorOf(ask('Bearer assay_wrong'))).facts.retryAfterSeconds).toBe(6)
    expect((await errorOf(ask('Bearer assay_wrong', '10.0.0.2'))).code).toBe('unauthorized')
    expect((await ask(`Bearer ${token}`)).name).toBe('ci')
    wait(60_000)
    expect(await tryOften(11)).toEqual([...Array(10).fill('unauthorized'), 'rate_limited'])
  })

  it('allows a token a burst of 60 requests and 20 requests a second', async () => {
    const { ask, wait, refusals } = open()
    const [one, two] = [make('one').token, make('two').token]
    for (let n = 0; n < 60; n++) await ask(`Bearer ${one}`)
    const error = await errorOf(ask(`Bearer ${one}`))
    expect([error.code, error.facts.retryAfterSeconds]).toEqual(['rate_limited', 1])
    expect(refusals).toMatchObject([{ reason: 'rate_limited' }])
    expect((await ask(`Bearer ${two}`)).name).toBe('two')
    wait(1000)
    for (let n = 0; n < 20; n++) await ask(`Bearer ${one}`)
    expect((await errorOf(ask(`Bearer ${one}`))).code).toBe('rate_limited')
  })
})

describe('limits', () => {
  it('apply to computed queries of token holders only, not to the local user and not to cheap operations', async () => {
    const limit = createQueryLimiter()
    const never = () => new Promise<string>(() => {})
    const holder = { ...localPerson, token: true }
    const question = { name: 'q', effect: 'read', cost: 'computed' } as const
    for (let n = 0; n < 68; n++) void limit(question, holder, never)
    await expect(limit(question, holder, async () => 'x')).rejects.toMatchObject({
      code: 'unavailable',
      facts: { reason: 'overloaded', retryAfterSeconds: 1 },
    })
    expect(await limit(question, localPerson, async () => 'x')).toBe('x')
    expect(await limit({ name: 'q', effect: 'read' }, holder, async () => 'x')).toBe('x')
  })

  it('forget the least recently seen callers, so that many names cannot exhaust memory', () => {
    const limiter = createLimiter({ perSecond: 1, burst: 1 }, () => 0, 3)
    for (const key of ['a', 'b', 'c']) expect(limiter.take(key)).toBe(0)
    expect(limiter.take('a')).toBe(1000)
    expect(limiter.take('d')).toBe(0)
    expect([limiter.take('a'), limiter.take('b')]).toEqual([1000, 0])
  })

  it('keep working when the clock is set back', () => {
    let clock = 1000
    const limiter = createLimiter({ perSecond: 1, burst: 2 }, () => clock)
    limiter.take('a')
    clock = 0
    expect([limiter.take('a'), limiter.take('a')]).toEqual([0, 1000])
  })

  it('run four queries, queue 64 and refuse the next', async () => {
    const gate = createConcurrencyLimit({ inFlight: 4, queued: 64 })
    let running = 0
    let most = 0
    const release: (() => void)[] = []
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise<void>((resolve) => release.push(resolve))
      running -= 1
      return 'done'
    }
    const answers = Array.from({ length: 70 }, () =>
      gate.run('ada', work).catch((error: AppError) => error.facts.reason),
    )
    await nextTurn()
    for (let n = 0; n < 68; n++) {
      release.shift()?.()
      await nextTurn()
    }
    expect(await Promise.all(answers)).toEqual([...Array(68).fill('done'), 'overloaded', 'overloaded'])
    expect(most).toBe(4)
    const next = gate.run('ada', () => 'again')
    expect(await next).toBe('again')
  })

  it('serve callers in turn, and drop queries of the caller that fills the queue', async () => {
    const gate = createConcurrencyLimit({ inFlight: 1, queued: 4 })
    const done: string[] = []
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const first = gate.run('greedy', () => released)
    const ask = (caller: string, name: string) =>
      gate.run(caller, () => done.push(name)).catch((error: AppError) => done.push(`${name} ${error.facts.reason}`))
    const greedy = [1, 2, 3, 4].map((n) => ask('greedy', `greedy ${n}`))
    const others = [ask('bea', 'bea 1'), ask('cem', 'cem 1'), ask('bea', 'bea 2'), ask('greedy', 'greedy 5')]
    release()
    await Promise.all([first, ...greedy, ...others])
    expect(done.filter((each) => each.endsWith('overloaded')).sort()).toEqual([
      'bea 2 overloaded',
      'greedy 3 overloaded',
      'greedy 4 overloaded',
      'greedy 5 overloaded',
    ])
    expect(done.filter((each) => !each.endsWith('overloaded'))).toEqual(['greedy 1', 'bea 1', 'cem 1', 'greedy 2'])
    expect(await gate.run('bea', () => 'again')).toBe('again')
  })

  it('release the slot of a query that fails', async () => {
    const gate = createConcurrencyLimit({ inFlight: 1, queued: 1 })
    await expect(gate.run('ada', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await gate.run('ada', () => 1)).toBe(1)
  })
})
