import { TOKEN_PREFIX } from '../audit/actors.store.ts'
import { appendAudit } from '../audit/audit.store.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { AppError, conflict, invalidInput, notFound } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import { quote } from '../kernel/shown.ts'
import { type Caller, expandScopes, type Scope, scopes, type WriteContext } from '../operation/context.ts'
import type { Reader, Store } from '../store/store.ts'
import { isSameDigest, makeToken, readToken } from './token.ts'
import {
  findToken,
  hasTokens,
  insertToken,
  listActiveIds,
  listTokenRows,
  markRevoked,
  markUsed,
  removeTokens,
  type TokenRow,
} from './tokens.store.ts'

const DAY_MS = 86_400_000
const DEFAULT_LIFE_MS = 90 * DAY_MS
const MAX_LIFE_MS = 3660 * DAY_MS
const USE_RECORD_INTERVAL_MS = 5 * 60_000

/** A token without its secret, as it may be shown. */
export interface Token {
  id: string
  name: string
  scopes: Scope[]
  lockdown: boolean
  status: 'active' | 'expired' | 'revoked'
  createdBy: string
  createdAt: string
  expiresAt: string
  revokedAt: string | null
  lastUsedAt: string | null
}

export interface TokenRequest {
  name: string
  scopes: readonly Scope[]
  lockdown?: boolean | undefined
  /** Expiry in milliseconds; 90 days from now by default. */
  expiresAt?: number
}

type Context = Pick<WriteContext, 'store' | 'caller' | 'now'>

/**
 * Creates a token; its text is returned only here. That of a caller in lockdown is in lockdown, too.
 * @throws AppError `invalid_input`, or `conflict` when an active token has the name.
 */
export function createToken(context: Context, request: TokenRequest): Token & { token: string } {
  const at = context.now()
  const { name, expiresAt = at + DEFAULT_LIFE_MS } = request
  const lockdown = request.lockdown === true || context.caller.lockdown === true
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,99}$/u.test(name)) {
    throw invalidInput(
      'The name of a token consists of 1 to 100 letters, digits, spaces, dots, dashes, @ or underscores.',
      { issues: [{ path: 'name', message: 'must begin with a letter or digit, and have no other signs.' }] },
    )
  }
  if (expiresAt <= at || expiresAt > at + MAX_LIFE_MS) {
    throw invalidInput('A token must expire in the future and within ten years; give a day such as 2027-01-31.', {
      issues: [{ path: 'expires', message: 'must be in the future and within ten years.' }],
    })
  }
  const granted = scopes.filter((scope) => request.scopes.includes(scope))
  if (granted.length === 0) throw invalidInput(`A token needs at least one scope: ${scopes.join(', ')}.`)
  const made = makeToken()
  const row = {
    id: made.id,
    name: toSafeText(name, 'definition'),
    scopes: JSON.stringify(granted),
    lockdown: lockdown ? 1 : 0,
    digest: made.digest,
    created_by: toSafeText(context.caller.name, 'prose'),
    created_at: at,
    expires_at: expiresAt,
  }
  const shown = toToken({ ...row, revoked_at: null, last_used_at: null }, at)
  context.store.write(
    (writer) => {
      const taken = listTokenRows(writer).some((other) => other.name === name && toToken(other, at).status === 'active')
      if (taken)
        throw conflict(`A token named ${quote(name)} already exists; choose another name, or revoke that one first.`)
      insertToken(writer, row)
      note(writer, context, { action: 'create', name: made.id, after: shown })
    },
    { durable: true },
  )
  return { ...shown, token: made.text }
}

/**
 * Revokes a token immediately, in every process.
 * @throws AppError `not_found`, or `conflict` when several tokens have the name.
 */
export function revokeToken(context: Context, idOrName: string): Token {
  const at = context.now()
  return context.store.write(
    (writer) => {
      const rows = listTokenRows(writer)
      const named = rows.filter(({ id, name }) => id === idOrName || name === idOrName)
      const living = named.filter((row) => toToken(row, at).status === 'active')
      const [row, ...others] = living.length > 0 ? living : named
      if (row === undefined) throw notFound('There is no such token; `assay token list` shows them.')
      if (others.length > 0)
        throw conflict('Several tokens have this name; revoke by id, as `assay token list` shows it.')
      if (row.revoked_at !== null) return toToken(row, at)
      markRevoked(writer, row.id, at)
      const revoked = toToken({ ...row, revoked_at: at }, at)
      note(writer, context, { action: 'revoke', name: row.id, before: toToken(row, at), after: revoked })
      return revoked
    },
    // A leaked token must be revocable even on a full disk.
    { durable: true, essential: true },
  )
}

/** Deletes all tokens, so that HTTP on loopback needs none again. Returns how many there were. */
export function clearTokens(context: Context): number {
  return context.store.write(
    (writer) => {
      const rows = listTokenRows(writer)
      removeTokens(writer)
      for (const row of rows)
        note(writer, context, { action: 'delete', name: row.id, before: toToken(row, context.now()) })
      return rows.length
    },
    { durable: true },
  )
}

export function listTokens(reader: Reader, now: number): Token[] {
  return listTokenRows(reader).map((row) => toToken(row, now))
}

export const isTokenRequired = (store: Store): boolean => store.read(hasTokens)

const toHolder = (id: string) => `${TOKEN_PREFIX}${id}`

/** Ids of the callers whose tokens are active. */
export const listTokenHolders = (reader: Reader, now: number): Set<string> =>
  new Set(listActiveIds(reader, now).map(toHolder))

/** The stored tokens as a server checks them; where that would block its thread, another one does. */
export interface TokenLookup {
  /** Whether HTTP requires a token: from the first one created until all are cleared. */
  isTokenRequired(): Awaitable<boolean>
  findTokenHolder(text: string): Awaitable<Caller | undefined>
  /** Ids of the callers whose tokens are active. */
  listTokenHolders(): Awaitable<ReadonlySet<string>>
}

/** Lookups on the calling thread. */
export const openTokenLookup = (store: Store, now: () => number) =>
  ({
    isTokenRequired: () => isTokenRequired(store),
    findTokenHolder: (text) => findHolder(store, text, now()),
    listTokenHolders: () => store.read((reader) => listTokenHolders(reader, now())),
  }) satisfies TokenLookup

/** A digest that no token has, so that an unknown id takes as long as a known one. */
const noDigest = new Uint8Array(32)

/** The holder of a token; undefined unless the token is active. */
export function findHolder(store: Store, text: string, now: number): Caller | undefined {
  const written = readToken(text)
  if (written === undefined) return undefined
  const row = store.read((reader) => findToken(reader, written.id))
  const same = isSameDigest(written.digest, row?.digest ?? noDigest)
  if (row === undefined || !same || toToken(row, now).status !== 'active') return undefined
  if (row.last_used_at === null || now - row.last_used_at >= USE_RECORD_INTERVAL_MS || row.last_used_at > now) {
    recordUse(store, row.id, now)
  }
  return {
    name: row.name,
    id: toHolder(row.id),
    via: 'http',
    scopes: expandScopes(toScopes(row.scopes)),
    token: true,
    ...(row.lockdown === 1 ? { lockdown: true } : {}),
  }
}

/** A use that cannot be recorded, because the disk is full or the database busy, is still allowed. */
function recordUse(store: Store, id: string, now: number): void {
  try {
    store.write((writer) => markUsed(writer, id, now), { scope: 'access' })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

const toScopes = (text: string): Scope[] => {
  const granted: unknown = JSON.parse(text)
  return Array.isArray(granted) ? scopes.filter((scope) => granted.includes(scope)) : []
}

function toToken(row: TokenRow, now: number): Token {
  const { id, name, created_by: createdBy, revoked_at: revokedAt, last_used_at: lastUsedAt } = row
  return {
    id,
    name,
    scopes: toScopes(row.scopes),
    lockdown: row.lockdown === 1,
    status: revokedAt !== null ? 'revoked' : row.expires_at <= now ? 'expired' : 'active',
    createdBy,
    createdAt: toInstant(row.created_at),
    expiresAt: toInstant(row.expires_at),
    revokedAt: revokedAt === null ? null : toInstant(revokedAt),
    lastUsedAt: lastUsedAt === null ? null : toInstant(lastUsedAt),
  }
}

type Note = Parameters<typeof appendAudit>[2]

function note(writer: Parameters<typeof appendAudit>[0], { caller, now }: Context, entry: Omit<Note, 'kind'>): void {
  appendAudit(writer, { name: caller.name, id: caller.id, via: caller.via, at: now() }, { kind: 'token', ...entry })
}
