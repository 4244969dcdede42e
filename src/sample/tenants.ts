import { type SampleBi, type SampleBiOptions, startSampleBi } from './bi/server.ts'
import { sampleCredentials } from './credentials.ts'
import { type SampleWiki, type SampleWikiOptions, startSampleWiki } from './wiki/server.ts'

/** A source as `create_source` accepts it. */
export interface SampleSource {
  name: string
  config: Record<string, unknown>
}

export const wikiSourceName = 'sample-wiki'
export const biSourceName = 'sample-bi'

const types = ['SECRETS', 'PII', 'PROMPT_INJECTION', 'DUPLICATE', 'CONTENT_QUALITY', 'CUSTOM']

/** Links of the sample content point to this computer, which the detector only requests if it is on the list. */
const detectors = [
  ...types.map((type) => ({ type, enabled: true })),
  { type: 'BROKEN_LINKS', enabled: true, config: { allowHosts: ['127.0.0.1'] } },
]

/** Complete source payloads for the two running tenants, with all members of each type's own payload. */
export function sampleSourceConfigs({
  wikiUrl,
  biUrl,
  authorityUrl,
}: {
  wikiUrl: string
  biUrl: string
  authorityUrl: string
}): {
  wiki: SampleSource
  bi: SampleSource
} {
  const { accountEmail, apiToken, tenantId, clientId, clientSecret } = sampleCredentials
  const shared = {
    sampling: { strategy: 'ALL' },
    schedule: { enabled: false, preset: 'daily', timezone: 'UTC' },
    detectors,
  }
  return {
    wiki: {
      name: wikiSourceName,
      config: {
        type: 'WIKI',
        required: { account_email: accountEmail, base_url: wikiUrl },
        masked: { api_token: apiToken },
        optional: {
          connection: { max_retries: 3, rate_limit_delay_seconds: 0, request_timeout_seconds: 30 },
          content: {
            attachment_max_bytes: 5_242_880,
            include_attachments: true,
            include_footer_comments: true,
            include_inline_comments: true,
            include_linked_file_assets: true,
          },
        },
        ...shared,
      },
    },
    bi: {
      name: biSourceName,
      config: {
        type: 'BI_PLATFORM',
        required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: tenantId, client_id: clientId },
        masked: { client_secret: clientSecret },
        optional: {
          connection: { api_base_url: `${biUrl}/v1.0/myorg`, authority_url: authorityUrl, timeout_seconds: 30 },
          extraction: {
            extract_dashboards: true,
            extract_dataset_schema: true,
            extract_datasets_to_containers: false,
            extract_ownership: true,
            extract_reports: true,
            extract_workspaces_to_containers: true,
          },
          scope: { include_personal_workspaces: false },
        },
        ...shared,
      },
    },
  }
}

export interface SampleTenants {
  wiki: SampleWiki
  bi: SampleBi
  /** Both tenants as sources, ready for `create_source`. */
  sources: SampleSource[]
  close(): Promise<void>
}

/** Starts both tenants as in the demo: the admin API is enabled, so that metadata scans are available. */
export async function startSampleTenants(
  options: { wiki?: SampleWikiOptions; bi?: SampleBiOptions } = {},
): Promise<SampleTenants> {
  const wiki = await startSampleWiki(options.wiki)
  const bi = await startSampleBi({ adminApi: true, ...options.bi })
  const configs = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: bi.url, authorityUrl: bi.authorityUrl })
  return {
    wiki,
    bi,
    sources: [configs.wiki, configs.bi],
    close: async () => {
      await Promise.all([wiki.close(), bi.close()])
    },
  }
}
