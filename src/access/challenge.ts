import type { AppError } from '../kernel/errors.ts'
import { scopes } from '../operation/context.ts'

/** Path of the metadata of a protected resource (RFC 9728); `path` is '' or begins with a slash. */
export const resourceMetadataPath = (path: string): string => `/.well-known/oauth-protected-resource${path}`

/** Protected resource metadata (RFC 9728). */
export function toResourceMetadata(base: string, path: string, issuer: string): Record<string, unknown> {
  return {
    resource: `${base}${path}`,
    resource_name: 'Assay',
    authorization_servers: [issuer],
    scopes_supported: [...scopes],
    bearer_methods_supported: ['header'],
  }
}

/** The `WWW-Authenticate` header of a refusal (RFC 6750); undefined where a token would not help. */
export function toChallenge({ code, facts }: AppError, metadata: string | undefined): string | undefined {
  const wanted = facts.facts?.scope
  const lacking = code === 'forbidden' && facts.reason === 'insufficient_scope' && typeof wanted === 'string'
  if (code !== 'unauthorized' && !lacking) return undefined
  const parts = {
    realm: 'assay',
    ...(lacking ? { error: 'insufficient_scope', scope: wanted } : {}),
    ...(facts.reason === 'token_invalid' ? { error: 'invalid_token' } : {}),
    ...(code === 'unauthorized' && metadata !== undefined ? { scope: 'read' } : {}),
    ...(metadata === undefined ? {} : { resource_metadata: metadata }),
  }
  return `Bearer ${Object.entries(parts)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`
}
