import { z } from 'zod'
import { isLoopbackHost } from '../connectors/loopback.ts'
import { scopes } from '../operation/context.ts'

/** Asymmetric ones only: a key that checks a signature must not be able to make one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const

export const isSafeAddress = (text: string): boolean => {
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

/** Whose JSON Web Tokens HTTP takes beside its own. */
export const IssuerSettings = z
  .strictObject({
    issuer: z
      .url()
      .refine(isSafeAddress, 'must be https, or http on loopback.')
      .describe('Address of the issuer, exactly as its tokens name it.'),
    audience: z.array(z.string().min(1)).min(1).describe('Who the tokens must be made for: names of this server.'),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
      .describe('Signatures.'),
    types: z.array(z.string().min(1)).min(1).default(['at+jwt', 'JWT']).describe('What `typ` of the header may be.'),
    scopeClaim: z.string().min(1).default('scope').describe('Claim that lists what is allowed.'),
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
      .describe('What each value of the claim allows here; others allow nothing.'),
  })
  .describe('An OpenID Connect or OAuth 2 issuer.')
export type IssuerSettings = z.infer<typeof IssuerSettings>
