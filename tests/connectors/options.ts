interface Proof {
  file: string
  tests: readonly string[]
}

const at = (file: string, ...tests: string[]): Proof => ({ file: `tests/${file}.test.ts`, tests })
const wiki = (file: string, ...tests: string[]) => at(`connectors/wiki/${file}`, ...tests)
const bi = (file: string, ...tests: string[]) => at(`connectors/bi/${file}`, ...tests)
const scopes = wiki('source', '%j leaves %j')
const sent = wiki('options', 'every filter is sent to the list of spaces')
const samples = [
  wiki(
    'choices',
    'LATEST by %s selects the latest pages without a crawl',
    'RANDOM selects the requested number of pages: the same for the same seed, others for another',
  ),
  bi(
    'sampling',
    'selects the newest items across all workspaces',
    'selects the same items for the same seed, and others for another',
    'ALL ignores the limit',
  ),
]
const schedule = at('sources/sources', 'shows the next run for %s')

/** Every member of the payload of a wiki, and the tests that show that it does what it says. */
export const wikiOptions: Record<string, readonly Proof[]> = {
  'required.account_email': [
    wiki('options', 'account_email and api_token are used to sign in at base_url, and sent nowhere else'),
  ],
  'required.base_url': [
    wiki('options', 'account_email and api_token are used to sign in at base_url, and sent nowhere else'),
    wiki('source', 'finds the gateway where the token has scopes, or where the address is the gateway'),
  ],
  'masked.api_token': [
    wiki('options', 'account_email and api_token are used to sign in at base_url, and sent nowhere else'),
    wiki('source', 'a token is trimmed'),
  ],
  'optional.connection.max_retries': [
    wiki('options', 'max_retries %i allows that many attempts after the first'),
    wiki('limits', 'at %i, a failing listing is retried that number of times, smaller pages included'),
  ],
  'optional.connection.rate_limit_delay_seconds': [
    wiki('options', 'rate_limit_delay_seconds separates the starts of all requests'),
    wiki('limits', 'separates all requests of a tenant with a %s token, %s'),
    at('connectors/clock', 'a minimum gap of %d seconds separates the starts of requests'),
  ],
  'optional.connection.request_timeout_seconds': [
    wiki('options', 'request_timeout_seconds applies to every call, and ends a call that hangs'),
    wiki('limits', 'ends a download (%s)'),
  ],
  'optional.content.attachment_max_bytes': [
    wiki(
      'limits',
      'a larger text is read up to the limit, and the scan warns',
      'only the type of a larger %s is read, which cannot be read in part',
    ),
  ],
  'optional.content.include_attachments': [
    wiki('crawl', 'attachments and linked files are left out when both are turned off'),
  ],
  'optional.content.include_footer_comments': [wiki('crawl', 'comments below pages', 'all comments')],
  'optional.content.include_inline_comments': [wiki('crawl', 'comments inside pages', 'all comments')],
  'optional.content.include_linked_file_assets': [
    wiki('crawl', 'attachments and linked files are left out when both are turned off'),
    wiki('refusals', 'no address in a page is ever requested'),
  ],
  'optional.scope.spaces.ids': [scopes, sent],
  'optional.scope.spaces.keys': [
    scopes,
    sent,
    wiki('source', 'requests hundreds of long keys in addresses of bounded length'),
  ],
  'optional.scope.spaces.labels': [scopes, sent, wiki('source', 'sends filters joined by commas')],
  'optional.scope.spaces.type': [scopes, sent],
  'optional.scope.spaces.status': [scopes, sent],
}

const principal = bi('sign-in', 'requests one token from its cloud for all workers')

/** The same for a BI platform. */
export const biOptions: Record<string, readonly Proof[]> = {
  'required.auth_mode': [principal, bi('sign-in', 'is recognized in %j'), bi('config', 'refuses %s')],
  'required.tenant_id': [principal],
  'required.client_id': [principal],
  'masked.client_secret': [principal],
  'masked.access_token': [bi('sign-in', 'is recognized in %j', 'is not sent when it has expired')],
  'optional.connection.api_base_url': [
    bi('options', 'calls go to api_base_url and sign-in to authority_url, below the paths of both'),
    bi('config', '%s requires %s', '%s and %s belong together: %s'),
  ],
  'optional.connection.authority_url': [
    bi('options', 'calls go to api_base_url and sign-in to authority_url, below the paths of both'),
  ],
  'optional.connection.timeout_seconds': [
    bi('options', 'timeout_seconds %i applies to every call; administrator lists get at least a minute'),
  ],
  'optional.scope.workspace_ids': [
    bi('discovery', 'by id in any letter case', 'requests only the workspaces of an id list'),
  ],
  'optional.scope.workspace_names': [bi('discovery', 'by name in any letter case', 'by id and name together')],
  'optional.scope.include_personal_workspaces': [
    bi(
      'discovery',
      'of a person are listed for that person',
      'of other people are listed for an administrator',
      'are unavailable to an application without admin rights, with a warning',
    ),
  ],
  'optional.extraction.extract_dashboards': [bi('crawl', 'does not list reports and dashboards that are turned off')],
  'optional.extraction.extract_reports': [bi('crawl', 'does not list reports and dashboards that are turned off')],
  'optional.extraction.extract_dataset_schema': [bi('crawl', 'reads no schema when schemas are turned off')],
  'optional.extraction.extract_datasets_to_containers': [bi('crawl', 'makes tables separate assets')],
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
    wiki('choices', 'LATEST by %s selects the latest pages without a crawl'),
    bi('sampling', 'orders by %s'),
    at('sources/sources', 'accepts %s as a column'),
  ],
  'schedule.enabled': [schedule, at('background/loop', 'starts no scan while it is disabled')],
  'schedule.preset': [schedule],
  'schedule.cron': [schedule],
  'schedule.timezone': [schedule],
  'detectors.type': [at('sources/sources', 'suggests the intended detector')],
  'detectors.enabled': [at('scans/platform', 'a detector that is disabled or not listed does not run')],
  'detectors.config': [at('scans/scan', 'reads everything again when the settings of a detector change')],
}
