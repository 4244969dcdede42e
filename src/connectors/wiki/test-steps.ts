import { toSafeText } from '../../detectors/safe-text.ts'
import { showName, showNames } from '../../kernel/shown.ts'
import type { SessionOptions, TestStep } from '../connector.ts'
import { reasonOf } from '../failure.ts'
import { findProxyHint } from '../http/fault.ts'
import { findAddress, isMediaAddress } from './address.ts'
import type { WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { isForbidden, messageOf } from './failure.ts'
import { readListPage } from './listing.ts'
import { checkScope, listSpaces, nameOf } from './spaces.ts'
import { AttachmentWire, CommentWire, PageWire, type SpaceWire, storageOf } from './wire.ts'

interface Outcome {
  detail?: string
  hint?: string
  status?: TestStep['status']
}

async function run(
  name: string,
  hints: { denied: string; failed: string },
  work: () => Promise<Outcome>,
): Promise<TestStep> {
  try {
    return { name, status: 'ok', ...(await work()) }
  } catch (error) {
    const denied = isForbidden(error) || reasonOf(error).startsWith('auth_')
    return {
      name,
      status: denied ? 'denied' : 'failed',
      detail: messageOf(error),
      hint: findProxyHint(error) ?? (denied ? hints.denied : hints.failed),
    }
  }
}

const skipped = (name: string, detail: string): TestStep => ({ name, status: 'skipped', detail })
const retryHint = 'Try again; if it keeps failing, check the address, the network and the status page of the platform.'
const scopeHint = (scope: string) => `Create the token with the scope ${scope}, or leave this out of the source.`

async function readSomePage({ http }: WikiClient, spaces: readonly SpaceWire[]): Promise<PageWire | undefined> {
  for (const space of spaces.slice(0, 5)) {
    const query = { depth: 'all', status: 'current', sort: 'id', 'body-format': 'storage' }
    const request = { path: `/spaces/${encodeURIComponent(space.id)}/pages`, query, item: PageWire, limit: 1 }
    const [page] = (await readListPage(http, request)).items
    if (page !== undefined) return page
  }
  return undefined
}

async function testDownload(client: WikiClient, maxBytes: number): Promise<Outcome> {
  const { http, origin } = client
  const query = { status: 'current', sort: '-created-date' }
  const { items } = await readListPage(http, { path: '/attachments', query, item: AttachmentWire, limit: 25 })
  const attachment = items.find(
    ({ pageId, fileSize }) => pageId !== null && pageId !== undefined && (fileSize ?? 0) <= maxBytes,
  )
  if (attachment?.pageId === null || attachment?.pageId === undefined) {
    return { status: 'skipped', detail: 'No attachment was found to test with.' }
  }
  let target: URL | undefined
  try {
    await http.download({
      path: `/rest/api/content/${encodeURIComponent(attachment.pageId)}/child/attachment/${encodeURIComponent(attachment.id)}/download`,
      maxBytes,
      allowRedirect(url) {
        target = url
        return false
      },
    })
  } catch (error) {
    if (target === undefined) throw error
    if (!isMediaAddress(origin, target)) {
      return {
        status: 'failed',
        detail: `Downloads are redirected to ${target.host}, which is not a host of the vendor.`,
        hint: 'Check the address of the source; attachments will be listed but not read.',
      }
    }
  }
  return {
    detail: target === undefined ? 'Downloads are not redirected.' : `Downloads are redirected to ${target.host}.`,
  }
}

function toScopeStep(isRestricted: boolean, unmatched: readonly string[]): TestStep {
  if (!isRestricted) return skipped('scope', 'Every visible space is in scope.')
  if (unmatched.length === 0) return { name: 'scope', status: 'ok', detail: 'Every space of the scope is visible.' }
  const detail = `Not visible: ${showNames(unmatched.slice(0, 10))}`
  return { name: 'scope', status: 'failed', detail, hint: 'Check the spelling and the permissions of the account.' }
}

/** Tests step by step what a scan needs. Writes nothing and downloads no attachment. */
export async function runTestSteps(
  options: SessionOptions<WikiConfig>,
  connect: () => Promise<WikiClient>,
): Promise<TestStep[]> {
  const { required, optional } = options.config
  const steps: TestStep[] = []
  const address = findAddress(required.base_url)
  steps.push({
    name: 'address',
    status: 'ok',
    detail: address === undefined ? required.base_url : new URL(address.origin).host,
  })

  let client: WikiClient | undefined
  const signInHints = {
    denied: 'Check that the email address is that of the token, that the token has not expired, and enter it again.',
    failed: retryHint,
  }
  steps.push(
    await run('sign_in', signInHints, async () => {
      client = await connect()
      const who = client.account === undefined ? 'signed in' : `signed in as ${client.account}`
      return { detail: client.via === 'gateway' ? `${who}, through the gateway, as tokens with scopes require` : who }
    }),
  )
  const later = ['list_scopes', 'scope', 'read_items', 'read_comments', 'download_attachments']
  const found = client
  if (found === undefined) return [...steps, ...later.map((name) => skipped(name, 'Skipped: sign-in failed.'))]

  let spaces: SpaceWire[] = []
  let unmatched: string[] = []
  steps.push(
    await run(
      'list_scopes',
      { denied: scopeHint('read:space:confluence'), failed: 'Check the keys and filters of the scope.' },
      async () => {
        const listed = await listSpaces(found, optional.scope.spaces)
        spaces = listed.spaces
        unmatched = checkScope(optional.scope.spaces, listed).flatMap(({ code, scope = '' }) =>
          code === 'scope_unmatched' ? [scope] : [],
        )
        const names = spaces.slice(0, 5).map(nameOf).join(', ')
        const detail = `${spaces.length} ${spaces.length === 1 ? 'space' : 'spaces'}: ${names}${spaces.length > 5 ? ', …' : ''}`
        return { detail }
      },
    ),
  )
  if (spaces.length === 0)
    return [...steps, ...later.slice(1).map((name) => skipped(name, 'There is no visible space to read.'))]

  steps.push(toScopeStep(Object.keys(optional.scope.spaces).length > 0, unmatched))

  let page: PageWire | undefined
  steps.push(
    await run('read_items', { denied: scopeHint('read:page:confluence'), failed: retryHint }, async () => {
      page = await readSomePage(found, spaces)
      if (page === undefined) return { status: 'skipped', detail: 'The first spaces contain no page.' }
      const length = storageOf(page)?.length
      if (length === undefined)
        return { status: 'failed', detail: 'The page was returned without its text.', hint: retryHint }
      return { detail: `${showName(toSafeText(page.title ?? page.id, 'prose'))}, ${length} characters` }
    }),
  )

  const {
    include_footer_comments: footer,
    include_inline_comments: inline,
    include_attachments: files,
  } = optional.content
  const kinds = [...(footer ? ['footer'] : []), ...(inline ? ['inline'] : [])]
  const pageId = page?.id
  if (kinds.length === 0) steps.push(skipped('read_comments', 'Comments are turned off for this source.'))
  else if (pageId === undefined) steps.push(skipped('read_comments', 'There is no page to read them from.'))
  else {
    steps.push(
      await run('read_comments', { denied: scopeHint('read:comment:confluence'), failed: retryHint }, async () => {
        for (const kind of kinds) {
          const path = `/pages/${encodeURIComponent(pageId)}/${kind}-comments`
          await readListPage(found.http, { path, item: CommentWire, limit: 1 })
        }
        return {}
      }),
    )
  }
  if (!files) steps.push(skipped('download_attachments', 'Attachments are turned off for this source.'))
  else {
    const hints = {
      denied: scopeHint('read:attachment:confluence and readonly:content.attachment:confluence'),
      failed: retryHint,
    }
    steps.push(
      await run('download_attachments', hints, () => testDownload(found, optional.content.attachment_max_bytes)),
    )
  }
  return steps
}
