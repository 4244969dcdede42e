import { withoutEmptyLists } from '../../kernel/json-object.ts'
import type { Connector } from '../connector.ts'
import { findAddress, findGatewayOrigin } from './address.ts'
import { WikiConfig } from './config.ts'
import { orderByColumns } from './sampling.ts'
import { openSession } from './session.ts'
import { isFiltered } from './spaces.ts'

export const wikiConnector: Connector<WikiConfig> = {
  type: 'WIKI',
  title: 'Wiki',
  payload: WikiConfig,
  orderByColumns,
  defaultDetectors: ['SECRETS', 'PII', 'BROKEN_LINKS', 'PROMPT_INJECTION', 'DUPLICATE', 'CONTENT_QUALITY', 'CUSTOM'],
  leavesOut({ optional }) {
    const kinds = optional.content.include_attachments ? [] : ['wiki.attachment' as const]
    return { kinds, scopes: isFiltered(optional.scope.spaces) }
  },
  scopeSettings: ({ required, optional }) => [required, { spaces: withoutEmptyLists(optional.scope.spaces) }],
  credentialOrigins(config) {
    const address = findAddress(config.required.base_url)
    if (address === undefined) return []
    return [...new Set([address.origin, findGatewayOrigin(address.origin) ?? address.origin])]
  },
  tenantAddress({ required }) {
    const { origin = '', cloudId = '' } = findAddress(required.base_url) ?? {}
    return `${origin} ${cloudId}`
  },
  open: openSession,
}
