import { randomBytes } from 'node:crypto'
import { type SampleCredentials, sampleCredentials } from '../credentials.ts'
import type { SampleReply, SampleRequest } from '../exchange.ts'
import { type Listener, type ListenOptions, listen } from '../listener.ts'
import { createRouter } from '../router.ts'
import { createAccessApi } from './access.ts'
import { API_PATH, createWikiApi, toError } from './api.ts'
import { createSampleWikiTenant } from './content.ts'
import type { WikiAttachment, WikiTenant } from './tenant.ts'
import { escapeMarkup, toView } from './wire.ts'

export interface SampleWikiOptions {
  /** Default: the wiki of the sample company. */
  tenant?: WikiTenant
  port?: number
  respond?: ListenOptions['respond']
  /** `scoped` tokens are accepted at the gateway only, like tokens with granular scopes. */
  tokenKind?: 'classic' | 'scoped'
  siteListsHoldReplies?: boolean
  /** Most items of one reply, so that a small tenant has lists of several pages; default: as many as were asked for. */
  maxListed?: number
}

export interface SampleWiki {
  /** Origin of the site, which also acts as the gateway. */
  url: string
  port: number
  /** Origin for attachment downloads. */
  mediaUrl: string
  tenant: WikiTenant
  credentials: Pick<SampleCredentials, 'accountEmail' | 'apiToken'>
  close(): Promise<void>
}

const authError = (message: string): SampleReply => ({ status: 401, body: { code: 401, statusCode: 401, message } })

/**
 * A wiki tenant over HTTP on loopback: site, gateway and API on one port, the media host on another. Requests outside
 * the contract get a 400; attachment downloads redirect (302) to a signed URL that refuses credentials.
 */
export async function startSampleWiki(options: SampleWikiOptions = {}): Promise<SampleWiki> {
  const tenant = options.tenant ?? createSampleWikiTenant()
  const mediaTokens = new Map<string, WikiAttachment>()
  const gatewayPath = `/ex/confluence/${tenant.cloudId}`
  const { accountEmail, apiToken } = sampleCredentials
  const accepted = `Basic ${Buffer.from(`${accountEmail}:${apiToken}`).toString('base64')}`
  const accessApi = createAccessApi(tenant, () => `${siteUrl()}/wiki`)
  const findV1 = createRouter<(request: SampleRequest, params: Record<string, string>) => SampleReply>({
    ...accessApi.routes,
    'GET /wiki/rest/api/user/current': ({ anonymous }) => currentUser(anonymous),
    'GET /wiki/rest/api/content/{id}/child/attachment/{attachmentId}/download': ({ query }, params) =>
      redirectToMedia(params.id ?? '', params.attachmentId ?? '', query.get('version')),
  })
  let site: Listener | undefined
  let media: Listener | undefined
  const siteUrl = () => site?.url ?? ''

  const answerApi = createWikiApi({
    tenant,
    siteListsHoldReplies: options.siteListsHoldReplies ?? false,
    maxListed: options.maxListed ?? Number.POSITIVE_INFINITY,
    base: () => `${siteUrl()}/wiki`,
    listPermissions: accessApi.listPermissions,
  })

  function currentUser(anonymous: boolean): SampleReply {
    if (anonymous) {
      const headers = { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' }
      return { status: 200, headers, body: { type: 'anonymous', profilePicture: {}, displayName: 'Anonymous' } }
    }
    return {
      status: 200,
      headers: { 'x-seraph-loginreason': 'OK' },
      body: {
        type: 'known',
        accountId: 'sample-scanner',
        accountType: 'atlassian',
        email: accountEmail,
        publicName: 'Scanner',
        displayName: 'Scanner',
      },
    }
  }

  function redirectToMedia(pageId: string, attachmentId: string, version: string | null): SampleReply {
    const current = tenant.attachments.get(attachmentId)
    const earlier = (tenant.versions.get(attachmentId) ?? []) as WikiAttachment[]
    const attachment =
      version === null || current?.version.number === Number(version)
        ? current
        : earlier.find((file) => file.version.number === Number(version))
    const page = tenant.pages.get(pageId)
    const hidden = page === undefined || page.status === 'trashed' || page.status === 'deleted'
    if (attachment?.pageId !== pageId || hidden) return toError(404, 'No attachment with this id is visible')
    const token = randomBytes(12).toString('hex')
    mediaTokens.set(token, attachment)
    const location = `${media?.url ?? ''}/file/${attachment.fileId}/binary?token=${token}&name=${encodeURIComponent(attachment.title)}`
    return { status: 302, headers: { location } }
  }

  /** The page or space of an address, for a person who follows a link of a finding. */
  function showPage({ path, query }: SampleRequest): SampleReply {
    const [, key, id = query.get('pageId') ?? ''] =
      /^\/wiki\/(?:spaces\/([^/]+)\/?)?(?:(?:pages|blog)\/(?:\d+\/\d+\/\d+\/)?(\d+))?/.exec(path) ?? []
    const page = tenant.pages.get(id)
    const space = [...tenant.spaces.values()].find((each) => each.key === decodeURIComponent(key ?? ''))
    const [title, body] =
      page === undefined ? [space?.name, space?.description] : [page.title, toView(tenant.bodyOf(page))]
    const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': "default-src 'none'" }
    if (title === undefined || page?.status === 'trashed' || page?.status === 'deleted')
      return { status: 404, headers, body: 'There is no such page in the sample wiki.' }
    return {
      status: 200,
      headers,
      body: `<!doctype html><title>${escapeMarkup(title)}</title><h1>${escapeMarkup(title)}</h1>${body}`,
    }
  }

  function answerSite(request: SampleRequest): SampleReply {
    if (request.headers['sec-fetch-mode'] === 'navigate') return showPage(request)
    const viaGateway = request.path.startsWith(`${gatewayPath}/`)
    const path = viaGateway ? request.path.slice(gatewayPath.length) : request.path
    if (path === '/_edge/tenant_info' && request.method === 'GET')
      return { status: 200, body: { cloudId: tenant.cloudId } }
    if (path.startsWith('/wiki/download/')) {
      return { status: 401, headers: { 'www-authenticate': 'OAuth realm="sample"' }, body: '' }
    }
    if (!request.anonymous && request.headers.authorization !== accepted) return authError('Unauthorized')
    if (options.tokenKind === 'scoped' && !viaGateway) return authError('Unauthorized; scope does not match')
    if (path.startsWith(`${API_PATH}/`)) {
      if (!request.anonymous) return answerApi(request, path.slice(API_PATH.length))
      return { status: 200, body: { results: [], _links: { base: `${siteUrl()}/wiki` } } }
    }
    const v1 = findV1(request.method, path)
    if (v1 !== undefined && request.anonymous && !path.endsWith('/current')) return authError('Unauthorized')
    if (v1 !== undefined) return v1.handle(request, v1.params)
    return toError(400, `The contract has no ${request.method} ${path}`)
  }

  function answerMedia(request: SampleRequest): SampleReply {
    if (request.headers.authorization !== undefined || request.headers.cookie !== undefined) {
      return { status: 400, body: { error: { code: 'BadRequest', title: 'Credentials are not accepted here' } } }
    }
    const [, , fileId] = request.path.split('/')
    const attachment = mediaTokens.get(request.query.get('token') ?? '')
    if (attachment === undefined || attachment.fileId !== fileId || !request.path.endsWith('/binary')) {
      return { status: 403, body: { error: { code: 'JwtAuthoriser:TokenExpired', title: 'Token is not valid' } } }
    }
    const headers = { 'content-type': attachment.mediaType, 'x-content-type-options': 'nosniff' }
    return { status: 200, headers, body: attachment.bytes() }
  }

  const { respond } = options
  site = await listen({ respond, server: 'site', handle: answerSite, port: options.port })
  media = await listen({ respond, server: 'media', handle: answerMedia })
  const servers = [site, media]
  return {
    url: site.url,
    port: site.port,
    mediaUrl: media.url,
    tenant,
    credentials: { accountEmail, apiToken },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}
