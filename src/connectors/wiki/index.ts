import type { Connector } from '../connector.ts'
import { findAddress, toGatewayOrigin } from './address.ts'
import { WikiConfig } from './config.ts'
import { orderByColumns } from './sampling.ts'
import { openSession } from './session.ts'

export const wikiConnector: Connector<WikiConfig> = {
  type: 'WIKI',
  title: 'Wiki',
  payload: WikiConfig,
  orderByColumns,
  defaultDetectors: ['SECRETS', 'PII', 'BROKEN_LINKS', 'PROMPT_INJECTION', 'DUPLICATE', 'CONTENT_QUALITY', 'CUSTOM'],
  leavesOut({ optional }) {
    const { ids, keys, labels, type, status } = optional.scope.spaces
    const chosen = [ids, keys, labels, type, status].some((filter) => filter !== undefined)
    return { kinds: optional.content.include_attachments ? [] : ['wiki.attachment'], scopes: chosen }
  },
  scopeSettings: ({ required, optional }) => [required, optional.scope],
  credentialOrigins(config) {
    const address = findAddress(config.required.base_url)
    if (address === undefined) return []
    return [...new Set([address.origin, toGatewayOrigin(address.origin)])]
  },
  tenantAddress({ required }) {
    const { origin = '', cloudId = '' } = findAddress(required.base_url) ?? {}
    return `${origin} ${cloudId}`
  },
  open: openSession,
}
