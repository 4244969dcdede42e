interface Proof {
  file: string
  tests: readonly string[]
}

const at = (file: string, ...tests: string[]): Proof => ({ file: `tests/${file}.test.ts`, tests })
const wiki = (file: string, ...tests: string[]) => at(`connectors/wiki/${file}`, ...tests)
const bi = (file: string, ...tests: string[]) => at(`connectors/bi/${file}`, ...tests)
const scopes = wiki('source', '%j leaves %j')
const sent = wiki('options', 'every filter goes to the list of spaces')
const samples = [
  wiki(
    'choices',
    'the latest by %s, without a crawl',
    'RANDOM selects the requested number: the same for the same seed, others for another',
  ),
  bi(
    'sampling',
    'selects the items with the newest dates over all workspaces',
    'is the same for the same seed and another for another',
    'ALL ignores the limit',
  ),
]
const schedule = at('sources/sources', 'shows the next run for %s')

/** Every member of the payload of a wiki, and the tests that show that it does what it says. */
export const wikiOptions: Record<string, readonly Proof[]> = {
  'required.account_email': [wiki('options', 'account_email and api_token sign in at base_url, and go nowhere else')],
  'required.base_url': [
    wiki('options', 'account_email and api_token sign in at base_url, and go nowhere else'),
    wiki('source', 'finds the gateway where the token has scopes, or where the address is the gateway'),
  ],
  'masked.api_token': [
    wiki('options', 'account_email and api_token sign in at base_url, and go nowhere else'),
    wiki('source', 'a token is trimmed'),
  ],
  'optional.connection.max_retries': [
    wiki('options', 'max_retries %i allows that many attempts after the first'),
    wiki('limits', 'at %i, a failing listing is requested that many times more, including smaller pages'),
  ],
  'optional.connection.rate_limit_delay_seconds': [
    wiki('options', 'rate_limit_delay_seconds separates the starts of all requests'),
    wiki('limits', 'separates all requests of a tenant with a %s token, %s'),
    at('connectors/clock', '%d seconds separate the starts of requests'),
  ],
  'optional.connection.request_timeout_seconds': [
    wiki('options', 'request_timeout_seconds applies to every call, and ends one that hangs'),
    wiki('limits', 'ends a download (%s)'),
  ],
  'optional.content.attachment_max_bytes': [
    wiki(
      'limits',
      'of a larger text, the text of as many bytes is read, and the scan warns',
      'of %s, which cannot be read in part, the type is read',
    ),
  ],
  'optional.content.include_attachments': [wiki('crawl', 'attachments and linked files')],
  'optional.content.include_footer_comments': [wiki('crawl', 'comments below pages', 'all comments')],
  'optional.content.include_inline_comments': [wiki('crawl', 'comments inside pages', 'all comments')],
  'optional.content.include_linked_file_assets': [
    wiki('crawl', 'attachments and linked files'),
    wiki('refusals', 'no address in a page is ever requested'),
  ],
  'optional.scope.spaces.ids': [scopes, sent],
  'optional.scope.spaces.keys': [
    scopes,
    sent,
    wiki('source', 'hundreds of long keys are requested in addresses of bounded length'),
  ],
  'optional.scope.spaces.labels': [scopes, sent, wiki('source', 'filters are sent joined by commas')],
  'optional.scope.spaces.type': [scopes, sent],
  'optional.scope.spaces.status': [scopes, sent],
}

const principal = bi('sign-in', 'requests a token from its cloud, once for all workers')

/** The same for a BI platform. */
export const biOptions: Record<string, readonly Proof[]> = {
  'required.auth_mode': [principal, bi('sign-in', '%j is the same token'), bi('config', 'refuses %s')],
  'required.tenant_id': [principal],
  'required.client_id': [principal],
  'masked.client_secret': [principal],
  'masked.access_token': [bi('sign-in', '%j is the same token', 'that has expired is not even sent')],
  'optional.connection.api_base_url': [
    bi('options', 'api_base_url and authority_url are where calls and sign-in go, below their paths'),
    bi('config', '%s requires %s', '%s and %s belong together: %s'),
  ],
  'optional.connection.authority_url': [
    bi('options', 'api_base_url and authority_url are where calls and sign-in go, below their paths'),
  ],
  'optional.connection.timeout_seconds': [
    bi('options', 'timeout_seconds %i applies to every call; administrator lists get at least a minute'),
  ],
  'optional.scope.workspace_ids': [
    bi('discovery', 'by id, whatever the letter case', 'requests only the workspaces of an id list'),
  ],
  'optional.scope.workspace_names': [bi('discovery', 'by name, whatever the letter case', 'by id and name together')],
  'optional.scope.include_personal_workspaces': [
    bi(
      'discovery',
      'a person gets their own',
      'an administrator gets those of others',
      'an application without admin rights gets a hint that it has none',
    ),
  ],
  'optional.extraction.extract_dashboards': [bi('crawl', 'does not list reports and dashboards that are turned off')],
  'optional.extraction.extract_reports': [bi('crawl', 'does not list reports and dashboards that are turned off')],
  'optional.extraction.extract_dataset_schema': [bi('crawl', 'reads no schema when it is not asked to')],
  'optional.extraction.extract_datasets_to_containers': [bi('crawl', 'stores tables as separate assets')],
  'optional.extraction.extract_ownership': [bi('crawl', 'records owners only when configured, and never in the text')],
  'optional.extraction.extract_workspaces_to_containers': [
    bi('crawl', 'without workspace containers there is no asset and no link for them'),
  ],
}

/** The members that every source has. */
export const commonOptions: Record<string, readonly Proof[]> = {
  'sampling.strategy': samples,
  'sampling.limit': samples,
  'sampling.order_by_column': [
    wiki('choices', 'the latest by %s, without a crawl'),
    bi('sampling', 'by %s'),
    at('sources/sources', 'accepts %s as a column'),
  ],
  'schedule.enabled': [schedule, at('background/loop', 'is off when it is switched off')],
  'schedule.preset': [schedule],
  'schedule.cron': [schedule],
  'schedule.timezone': [schedule],
  'detectors.type': [at('sources/sources', 'suggests the detector that was meant')],
  'detectors.enabled': [at('scans/platform', 'a detector that is disabled or not listed does not run')],
  'detectors.config': [at('scans/scan', 'reads everything again when the settings of a detector change')],
}
