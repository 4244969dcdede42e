import { z } from 'zod'
import { isLoopbackHost } from '../connectors/http/loopback.ts'
import { invalidInput } from '../kernel/errors.ts'
import { scopes } from '../operation/context.ts'

/** Asymmetric algorithms only: a key that verifies a signature must not be able to create one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const

/** Whether an address uses https, or http on loopback when the issuer does too; and contains no credentials. */
export function isSafeAddress(text: string, issuer = text): boolean {
  const url = URL.parse(text)
  if (url?.username !== '' || url.password !== '') return false
  return url.protocol === 'https:' || (isLoopbackHttp(text) && isLoopbackHttp(issuer))
}

function isLoopbackHttp(text: string): boolean {
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && isLoopbackHost(hostname)
}

/** The issuer whose JSON Web Tokens HTTP accepts in addition to its own tokens. */
export const IssuerSettings = z
  .strictObject({
    issuer: z
      .url()
      .refine((text) => isSafeAddress(text), 'must be https, or http on loopback.')
      .describe('Address of the issuer, exactly as its tokens name it.'),
    audience: z.array(z.string().min(1)).min(1).describe('Accepted audiences (`aud`) of tokens: names of this server.'),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
      .describe('Signatures.'),
    types: z
      .array(z.string().min(1))
      .min(1)
      .default(['at+jwt', 'JWT'])
      .describe('Accepted values of `typ` in the header.'),
    scopeClaim: z.string().min(1).default('scope').describe('Claim that lists the permissions of the caller.'),
    scopes: z
      .record(z.string(), z.enum(scopes))
      .default(
        Object.fromEntries(
          scopes.flatMap((scope) => [
            [scope, scope],
            [`assay:${scope}`, scope],
          ]),
        ),
      )
      .describe('Scopes granted by each value of the claim; other values grant none.'),
  })
  .describe('An OpenID Connect or OAuth 2 issuer.')
export type IssuerSettings = z.infer<typeof IssuerSettings>

type Environment = Readonly<Record<string, string | undefined>>

const PREFIX = 'ASSAY_OIDC_'
const toList = (text: string) => text.split(',').map((each) => each.trim())
const readers: { [Member in keyof IssuerSettings]-?: (text: string) => unknown } = {
  issuer: (text) => text,
  audience: toList,
  algorithms: toList,
  types: toList,
  scopeClaim: (text) => text,
  scopes: (text) => Object.fromEntries(toList(text).map((pair) => pair.split(/=(?=[^=]*$)/))),
}
const variables = new Map(
  Object.entries(readers).map(([member, read]) => [
    `${PREFIX}${member.replace(/[A-Z]/g, '_$&').toUpperCase()}`,
    { member, read },
  ]),
)

/**
 * Settings from `ASSAY_OIDC_*` variables, not validated; undefined when there are none.
 * @throws AppError `invalid_input` for an unknown variable: ignoring one could admit callers whom it was meant to
 * exclude.
 */
export function readIssuerEnvironment(env: Environment): Record<string, unknown> | undefined {
  const given = Object.entries(env).filter(
    ([name, text]) => name.startsWith(PREFIX) && text !== undefined && text !== '',
  )
  if (given.length === 0) return undefined
  return Object.fromEntries(
    given.map(([name, text = '']) => {
      const variable = variables.get(name)
      if (variable === undefined) {
        throw invalidInput(`${name} is not a setting; the settings are ${[...variables.keys()].join(', ')}.`)
      }
      return [variable.member, variable.read(text)]
    }),
  )
}
