import { hash } from 'node:crypto'
import { z } from 'zod'
import { cutText } from '../kernel/well-formed.ts'
import { type Caller, expandScopes, type Scope } from '../operation/context.ts'
import type { IssuerSettings } from './issuer-settings.ts'

export const CLOCK_TOLERANCE_SECONDS = 60
const MAX_LIFE_SECONDS = 365 * 86_400
const MAX_SUBJECT_LENGTH = 255
const MAX_LABEL_LENGTH = 80

/** Controls, invisible characters, unassigned code points, lone surrogates, line and paragraph separators. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/gu

/** Types of the registered claims (RFC 7519); their values are checked together with the signature. */
const Claims = z.looseObject({
  iss: z.string(),
  sub: z
    .string()
    .min(1)
    .max(MAX_SUBJECT_LENGTH)
    .refine((text) => text.search(unprintable) === -1),
  aud: z.union([z.string(), z.array(z.string()).max(100)]),
  exp: z.number(),
  nbf: z.number().optional(),
  iat: z.number().optional(),
})

/**
 * The caller that verified claims identify; undefined when a claim has the wrong type or the token expires too far
 * ahead.
 */
export function toCaller(payload: unknown, settings: IssuerSettings, now: number): Caller | undefined {
  const claims = Claims.safeParse(payload).data
  if (claims === undefined) return undefined
  const { sub, exp } = claims
  const endsAt = exp + CLOCK_TOLERANCE_SECONDS
  if (exp > now / 1000 + MAX_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS) return undefined
  const id = `${settings.issuer}#${sub}`
  return {
    name: toName(claims, id),
    id,
    via: 'http',
    scopes: expandScopes(toScopes(claims[settings.scopeClaim], settings.scopes)),
    token: true,
    expiresAt: endsAt * 1000,
  }
}

function toScopes(claim: unknown, mapping: IssuerSettings['scopes']): Scope[] {
  const values: unknown[] = Array.isArray(claim) ? claim : typeof claim === 'string' ? claim.split(' ') : []
  return values.flatMap((value) => {
    const scope = typeof value === 'string' && Object.hasOwn(mapping, value) ? mapping[value] : undefined
    return scope === undefined ? [] : [scope]
  })
}

/** Labels can be reassigned and freely chosen, so part of a hash of the id distinguishes two subjects in histories. */
function toName(claims: Record<string, unknown>, id: string): string {
  const labels = [claims.preferred_username, claims.email, claims.client_id, claims.sub].map(toLabel)
  const tag = hash('sha256', id).slice(0, 16)
  return `${labels.find((label) => label !== '') ?? 'subject'} (${tag})`
}

function toLabel(value: unknown): string {
  if (typeof value !== 'string') return ''
  return [...cutText(value.toWellFormed(), 4 * MAX_LABEL_LENGTH).replace(unprintable, '')]
    .slice(0, MAX_LABEL_LENGTH)
    .join('')
    .trim()
}
