/** A credential without a prefix, recognized by the name of the vendor in its key. */
export interface KeyedShape {
  vendor: string
  type: string
  pattern: RegExp
  /** The format is fixed: under this name, a value in another format is not a credential. */
  strict: boolean
}

const hex = (length: number | string) => `[a-fA-F0-9]{${length}}`
const alnum = (length: number | string) => `[A-Za-z0-9]{${length}}`
const dashed = (length: number | string) => `[\\w=-]{${length}}`
const uuid = `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`

const rows: readonly (readonly [vendors: string, type: string, ...shapes: string[]])[] = [
  ['adafruit', 'ADAFRUIT_KEY', dashed(32)],
  ['adobe', 'ADOBE_SECRET', hex(32), `p8e-${alnum(32)}`],
  ['airtable', 'AIRTABLE_TOKEN', alnum(17)],
  ['alchemy', 'ALCHEMY_KEY', `${alnum(23)}_${alnum(8)}`, dashed(32)],
  ['algolia', 'ALGOLIA_KEY', alnum(32)],
  ['alibaba aliyun', 'ALIBABA_KEY', alnum(30)],
  ['asana', 'ASANA_SECRET', alnum(32), '\\d{16}', `[01]/${hex('16,32')}(?::${alnum('32,64')})?`],
  ['atlassian confluence jira', 'ATLASSIAN_TOKEN', `${alnum(20)}${hex(4)}`],
  ['beamer', 'BEAMER_TOKEN', `b_${dashed(44)}`],
  ['aws_secret aws-secret awssecret', 'AWS_SECRET_KEY', '[A-Za-z0-9/+]{40}'],
  ['bitbucket', 'BITBUCKET_TOKEN', alnum(32), dashed(64)],
  ['bittrex', 'BITTREX_KEY', alnum(32)],
  ['cloudflare', 'CLOUDFLARE_KEY', dashed(40), hex(37)],
  ['codecov', 'CODECOV_TOKEN', alnum(32), uuid],
  ['cohere co_api_key', 'COHERE_KEY', alnum(40)],
  ['coinbase', 'COINBASE_TOKEN', dashed(64)],
  ['confluent', 'CONFLUENT_KEY', alnum(16), alnum(64)],
  ['contentful', 'CONTENTFUL_TOKEN', dashed(43)],
  ['datadog dd_api dd_app', 'DATADOG_KEY', alnum(40), hex(32)],
  [
    'discord',
    'DISCORD_SECRET',
    hex(64),
    dashed(32),
    '[1-9]\\d{16,19}',
    '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}',
  ],
  ['drone', 'DRONE_TOKEN', alnum(32)],
  ['dropbox', 'DROPBOX_TOKEN', alnum(15), `${alnum(11)}AAAAAAAAAA${dashed(43)}`],
  ['etsy', 'ETSY_TOKEN', alnum(24)],
  ['facebook', 'FACEBOOK_SECRET', hex(32), '\\d{15,16}(?:\\||%)[\\w-]{27,40}'],
  ['fastly', 'FASTLY_TOKEN', dashed(32)],
  ['figma', 'FIGMA_TOKEN', `${hex(4)}-${uuid}`],
  ['finicity', 'FINICITY_KEY', hex(32), alnum(20)],
  ['finnhub', 'FINNHUB_TOKEN', alnum(20)],
  ['flickr', 'FLICKR_KEY', alnum(32)],
  ['freshbooks', 'FRESHBOOKS_TOKEN', alnum(64)],
  ['freemius', 'FREEMIUS_SECRET', 'sk_[^\\s"\']{29}'],
  ['gitter', 'GITTER_TOKEN', dashed(40)],
  ['gocardless', 'GOCARDLESS_TOKEN', `live_${dashed(40)}`],
  ['heroku', 'HEROKU_KEY', uuid, hex(32)],
  ['hubspot', 'HUBSPOT_KEY', uuid],
  ['intercom', 'INTERCOM_KEY', dashed(60)],
  ['jfrog artifactory bintray xray', 'ARTIFACTORY_TOKEN', alnum(64), alnum(73)],
  ['kraken', 'KRAKEN_TOKEN', '[A-Za-z0-9/=_+-]{80,90}'],
  ['kucoin', 'KUCOIN_KEY', hex(24), uuid],
  ['launchdarkly', 'LAUNCHDARKLY_KEY', dashed(40)],
  ['linear', 'LINEAR_SECRET', hex(32)],
  ['linkedin linked_in linked-in', 'LINKEDIN_SECRET', alnum(14), alnum(16)],
  ['lob', 'LOB_KEY', `(?:live|test)_${hex(35)}`, `(?:live|test)_pub_${hex(31)}`],
  ['looker', 'LOOKER_SECRET', alnum(20), alnum(24)],
  ['mailchimp', 'MAILCHIMP_KEY', `${hex(32)}-us\\d{1,2}`],
  ['mailgun', 'MAILGUN_KEY', `pubkey-${hex(32)}`, `${hex(32)}-${hex(8)}-${hex(8)}`],
  ['mattermost', 'MATTERMOST_TOKEN', alnum(26)],
  ['meraki', 'MERAKI_KEY', hex(40)],
  ['messagebird message-bird message_bird', 'MESSAGEBIRD_KEY', alnum(25), uuid],
  ['netlify', 'NETLIFY_TOKEN', dashed('40,46')],
  ['new-relic newrelic new_relic', 'NEW_RELIC_KEY', alnum(64), hex(40)],
  ['nytimes new-york-times newyorktimes', 'NYTIMES_TOKEN', dashed(32)],
  ['okta', 'OKTA_TOKEN', `00${dashed(40)}`],
  ['openweather', 'OPENWEATHER_KEY', hex(32)],
  ['pagerduty', 'PAGERDUTY_KEY', '[\\w+-]{20}', alnum(32)],
  ['opsgenie victorops statuspage', 'INCIDENT_API_KEY', uuid],
  ['pinecone', 'PINECONE_KEY', uuid],
  ['plaid', 'PLAID_SECRET', alnum(24), alnum(30)],
  ['postmark', 'POSTMARK_TOKEN', uuid],
  ['privateai private-ai private_ai', 'PRIVATEAI_KEY', alnum(32)],
  ['rapidapi', 'RAPIDAPI_KEY', dashed(50)],
  ['segment', 'SEGMENT_TOKEN', `${dashed(43)}\\.${dashed(43)}`],
  ['sendbird', 'SENDBIRD_KEY', hex(40), uuid],
  ['sentry', 'SENTRY_TOKEN', hex(64)],
  ['contribsys', 'SIDEKIQ_SECRET', `${hex(8)}:${hex(8)}`],
  ['snyk', 'SNYK_TOKEN', uuid],
  ['sourcegraph', 'SOURCEGRAPH_TOKEN', hex(40)],
  ['sonar', 'SONAR_TOKEN', dashed(40)],
  ['squarespace', 'SQUARESPACE_TOKEN', uuid],
  ['sumo', 'SUMOLOGIC_KEY', `su${alnum(12)}`, alnum(64)],
  ['telegr', 'TELEGRAM_BOT_TOKEN', '\\d{5,16}:A[\\w-]{34}'],
  ['travis', 'TRAVIS_TOKEN', alnum(22)],
  ['trello', 'TRELLO_TOKEN', '[A-Za-z0-9-]{32}', hex(64)],
  ['twilio', 'TWILIO_SECRET', hex(32)],
  ['twitch', 'TWITCH_TOKEN', alnum(30)],
  [
    'twitter',
    'TWITTER_SECRET',
    alnum(25),
    alnum(45),
    alnum(50),
    `\\d{15,25}-${alnum('20,40')}`,
    'A{22}[A-Za-z0-9%]{80,100}',
  ],
  ['typeform', 'TYPEFORM_TOKEN', 'tfp_[\\w.=-]{59}'],
  ['yandex', 'YANDEX_KEY', 'YC[\\w-]{38}', 'AQVN[\\w-]{35,38}'],
  ['zendesk', 'ZENDESK_SECRET', alnum(40)],
  ['zoom', 'ZOOM_SECRET', alnum(32)],
]

const strictVendors = new Set(['telegr', 'aws_secret', 'awssecret', 'aws-secret'])

export const keyedShapes: readonly KeyedShape[] = rows.flatMap(([vendors, type, ...shapes]) =>
  vendors.split(' ').map((vendor) => {
    return { vendor, type, pattern: new RegExp(`^(?:${shapes.join('|')})$`), strict: strictVendors.has(vendor) }
  }),
)
