import { z } from 'zod'
import { invalidInput } from '../kernel/errors.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { endMeaning, readBound } from '../kernel/time-range.ts'
import { utc } from '../kernel/zone.ts'
import { scopes } from '../operation/context.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { createToken, listTokens, revokeToken } from './tokens.ts'

const Token = z.object({
  id: z.string().describe('Id of the token, which is no secret.'),
  name: z.string().describe('Name in histories and in the audit trail.'),
  scopes: z.array(z.enum(scopes)).describe('What it allows.'),
  lockdown: z.boolean().describe('Its callers get counts, ids and codes only.'),
  status: z.enum(['active', 'expired', 'revoked']).describe('Whether it is accepted.'),
  createdBy: z.string().describe('Who created it.'),
  createdAt: z.string().describe('ISO 8601 UTC timestamp.'),
  expiresAt: z.string().describe('When it ends.'),
  revokedAt: z.string().nullable().describe('When it was revoked.'),
  lastUsedAt: z.string().nullable().describe('Last use, to within five minutes.'),
})

/** The end of a token in milliseconds. */
function toExpiry(expires: string | undefined): { expiresAt?: number } {
  if (expires === undefined) return {}
  const at = readBound(expires, 'to', utc)
  if (typeof at === 'number') return { expiresAt: at }
  throw invalidInput(`The token was not created: expires ${at}`, { issues: [{ path: 'expires', message: at }] })
}

export const tokenOperations: readonly Operation[] = [
  operation({
    name: 'list_tokens',
    title: 'List tokens',
    summary: 'List the tokens without their secrets, newest last.',
    effect: 'read',
    scope: 'admin',
    route: 'GET /tokens',
    texts: 'own',
    input: z.strictObject({}),
    output: z.object({
      items: z.array(Token).describe('The tokens.'),
      total: z.number().describe('Number of tokens.'),
    }),
    run: (_input, context) =>
      context.read((reader) => {
        const items = listTokens(reader, context.now())
        return { items, total: items.length }
      }),
  }),

  operation({
    name: 'create_token',
    title: 'Create token',
    summary: 'Create a token, which is shown only in this answer. Once a token exists, HTTP requires one.',
    effect: 'write',
    consent: 'always',
    scope: 'admin',
    route: 'POST /tokens',
    status: 201,
    location: () => '/tokens',
    texts: 'own',
    input: z.strictObject({
      name: z.string().min(1).max(100).describe('Who will use it, such as grafana.'),
      scopes: z.array(z.enum(scopes)).min(1).describe('What it allows; each includes read, admin includes all.'),
      lockdown: z.boolean().describe('Its callers get counts, ids and codes only.').optional(),
      expires: z.string().max(40).describe(`${endMeaning} Default: in 90 days.`).optional(),
    }),
    output: Token.extend({ token: z.string().describe('The token, which is not stored and never shown again.') }),
    affected: ({ name, scopes: granted }) => [`${quote(name)} with the scopes ${showNames(granted)}`],
    run: ({ name, scopes: granted, lockdown, expires }, context) =>
      createToken(context, { name, scopes: granted, lockdown, ...toExpiry(expires) }),
  }),

  operation({
    name: 'revoke_token',
    title: 'Revoke token',
    summary: 'Revoke a token immediately, in every process. HTTP still requires one.',
    effect: 'write',
    consent: 'always',
    scope: 'admin',
    route: 'DELETE /tokens/{id}',
    idempotent: true,
    texts: 'own',
    input: z.strictObject({ id: z.string().min(1).max(100).describe('Token: id or name.') }),
    output: Token,
    affected: ({ id }) => [quote(id)],
    run: ({ id }, context) => revokeToken(context, id),
  }),
]
