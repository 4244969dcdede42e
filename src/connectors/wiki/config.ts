import { z } from 'zod'
import { findAddress } from './address.ts'
import { isEmailAddress } from './email.ts'

const address = z
  .url('must be an address, such as https://example.atlassian.net.')
  .refine(
    (text) => !URL.canParse(text) || findAddress(text) !== undefined,
    'must be the https address of a wiki site, such as https://example.atlassian.net or https://example.atlassian.net/wiki (http only on this computer), without credentials, query or further path.',
  )

const names = (what: string) => z.array(z.string().trim().min(1).max(255)).max(250).describe(what)

const spaceIdForm =
  'must be a whole number or a string of its digits; write ids above 9007199254740991 as strings, such as "9007199254740993", because a number that large is not exact.'

const spaceId = z.union(
  [z.int(spaceIdForm).min(0, spaceIdForm), z.string().regex(/^(?:0|[1-9]\d{0,19})$/, spaceIdForm)],
  spaceIdForm,
)

const Connection = z.strictObject({
  max_retries: z
    .int()
    .min(0)
    .max(10)
    .default(3)
    .describe('Retries of one request after transient failures and rate limits, including retries with smaller pages.'),
  rate_limit_delay_seconds: z
    .number()
    .min(0)
    .default(0)
    .describe('Extra delay between any two requests to the tenant, in seconds.'),
  request_timeout_seconds: z
    .number()
    .min(1)
    .default(30)
    .describe('Time limit of one request in seconds, downloads included.'),
})

const Content = z.strictObject({
  attachment_max_bytes: z
    .int()
    .min(1024)
    .default(5_242_880)
    .describe(
      'Maximum number of bytes downloaded of an attachment. Of a larger one, only the beginning is read, if the format allows it, with a warning.',
    ),
  include_attachments: z.boolean().default(true).describe('Also scan the attachments of pages and blog posts.'),
  include_footer_comments: z
    .boolean()
    .default(true)
    .describe('Also scan the comments below pages, with their replies, as one asset per page.'),
  include_inline_comments: z
    .boolean()
    .default(true)
    .describe('Also scan the inline comments of pages, with their replies, as one asset per page.'),
  include_linked_file_assets: z
    .boolean()
    .default(true)
    .describe('Store the links of pages to files as assets; the files are not fetched.'),
})

const Spaces = z.strictObject({
  type: z
    .enum(['global', 'collaboration', 'knowledge_base', 'personal', 'system', 'onboarding', 'xflow_sample_space'])
    .optional()
    .describe('Only spaces of this type.'),
  ids: z
    .array(spaceId)
    .max(250)
    .optional()
    .describe('Only spaces with these ids, as whole numbers or strings of digits; an empty list restricts nothing.'),
  keys: names('Only spaces with these keys, spelled as in the wiki.').optional(),
  labels: names('Only spaces with one of these labels.').optional(),
  status: z.enum(['current', 'archived']).optional().describe('Only spaces of this status; default: both.'),
})

export const WikiConfig = z
  .strictObject({
    type: z.literal('WIKI').describe('A wiki tenant.'),
    required: z
      .strictObject({
        account_email: z
          .string()
          .refine(isEmailAddress, 'must be an email address.')
          .meta({ format: 'email' })
          .describe('Email address of the account that owns the token.'),
        base_url: address.describe('Address of the wiki tenant, such as https://example.atlassian.net.'),
      })
      .describe('The account that signs in, and the address of the wiki.'),
    masked: z
      .strictObject({
        api_token: z
          .string()
          .trim()
          .min(1, 'must not be empty.')
          .describe('API token of the account; stored encrypted.'),
      })
      .describe('Secrets; masked when shown.'),
    optional: z
      .strictObject({
        connection: Connection.prefault({}).describe('How requests are sent.'),
        content: Content.prefault({}).describe('What is read in addition to pages.'),
        scope: z
          .strictObject({ spaces: Spaces.prefault({}).describe('Which spaces are scanned; all given filters apply.') })
          .prefault({})
          .describe('Which parts of the tenant are read.'),
      })
      .prefault({})
      .describe('Settings that have defaults.'),
  })
  .describe('A wiki tenant whose pages, blog posts, comments, attachments and linked files are scanned.')
export type WikiConfig = z.infer<typeof WikiConfig>
