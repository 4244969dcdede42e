import type {
  Version,
  WikiAttachment,
  WikiComment,
  WikiItem,
  WikiPage,
  WikiSpace,
  WikiTenant,
  WikiUser,
} from './tenant.ts'

/** Items of the wiki as its API returns them. URLs in `_links` are relative to the base, which ends in `/wiki`. */

const instant = (at: number) => new Date(at).toISOString()

const toVersionWire = ({ number, createdAt, authorId }: Version) => ({
  number,
  authorId,
  createdAt: instant(createdAt),
})

const representation = (name: string, value: string) => ({ [name]: { representation: name, value } })

export const escapeMarkup = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The page as rendered for browsers: code as `pre`, macros and references replaced by their content. */
export const toView = (storage: string) =>
  storage
    .replace(
      /<ac:plain-text-body><!\[CDATA\[([\s\S]*?)\]\]><\/ac:plain-text-body>/g,
      (_, code: string) => `<pre>${escapeMarkup(code)}</pre>`,
    )
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, words: string) => escapeMarkup(words))
    .replace(/<ac:parameter[^>]*>[^<]*<\/ac:parameter>/g, '')
    .replace(/<\/?(?:ac|ri):[^>]*>/g, '')

function toBody(storage: string, format: string | null) {
  switch (format) {
    case null:
      return {}
    case 'storage':
      return representation('storage', storage)
    default:
      return representation(format, toView(storage))
  }
}

const toSlug = (title: string) => encodeURIComponent(title).replaceAll('%20', '+')

const toSpacePath = (space: WikiSpace) => `/spaces/${encodeURIComponent(space.key)}`

function toPagePath(tenant: WikiTenant, page: WikiPage): string {
  const space = tenant.spaces.get(page.spaceId)
  const day = instant(page.createdAt).slice(0, 10).replaceAll('-', '/')
  const place = page.kind === 'page' ? 'pages' : `blog/${day}`
  return `${space === undefined ? '/spaces/gone' : toSpacePath(space)}/${place}/${page.id}/${toSlug(page.title)}`
}

export function toSpaceWire(space: WikiSpace, descriptionFormat: string | null) {
  return {
    id: space.id,
    key: space.key,
    name: space.name,
    type: space.type,
    status: space.status,
    createdAt: instant(space.createdAt),
    homepageId: space.homepageId,
    description: descriptionFormat === null ? null : representation(descriptionFormat, space.description),
    _links: { webui: toSpacePath(space) },
  }
}

export function toPageWire(tenant: WikiTenant, page: WikiPage, bodyFormat: string | null) {
  const webui = toPagePath(tenant, page)
  return {
    id: page.id,
    status: page.status,
    title: page.title,
    spaceId: page.spaceId,
    ...(page.kind === 'blogpost'
      ? {}
      : {
          parentId: page.parentId,
          parentType: page.parentId === null ? null : (page.parentType ?? 'page'),
          ownerId: page.ownerId,
        }),
    authorId: page.authorId,
    createdAt: instant(page.createdAt),
    version: toVersionWire(page.version),
    body: bodyFormat === null ? {} : toBody(tenant.bodyOf(page), bodyFormat),
    _links: { webui },
  }
}

/** A version of an item, with its title and its body, where it has one. */
export function toVersionedWire(tenant: WikiTenant, item: WikiItem, name: string, bodyFormat: string | null) {
  const { id, version } = item
  const hasBody = bodyFormat !== null && 'body' in item
  const body = hasBody ? { body: toBody(tenant.bodyOf(item), bodyFormat) } : {}
  return { ...toVersionWire(version), [name]: { id, ...('title' in item ? { title: item.title } : {}), ...body } }
}

/** Labels have no ids in the tenant, so ids are derived from names. */
export const toLabelId = (name: string) =>
  String([...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 900_000_007, 7))

export const toLabelWire = (name: string) => ({
  id: toLabelId(name),
  name,
  prefix: 'global',
})

const toHolder = (tenant: WikiTenant, id: string) =>
  tenant.pages.get(id)?.kind === 'blogpost' ? { blogPostId: id } : { pageId: id }

export function toCommentWire(
  tenant: WikiTenant,
  comment: WikiComment,
  bodyFormat: string | null,
  place: 'page' | 'reply' | 'site',
) {
  const page = tenant.pages.get(comment.pageId)
  const pagePath = page === undefined ? '/spaces/gone' : toPagePath(tenant, page)
  const { parentId } = comment
  return {
    id: comment.id,
    status: comment.status,
    title: `Re: ${page?.title ?? ''}`,
    ...(place === 'reply' ? {} : toHolder(tenant, comment.pageId)),
    ...(place === 'page' || parentId === undefined ? {} : { parentCommentId: parentId }),
    version: toVersionWire(comment.version),
    body: toBody(comment.body, bodyFormat),
    ...(comment.kind === 'footer'
      ? {}
      : {
          resolutionStatus: comment.resolution,
          properties: {
            inlineMarkerRef: `marker-${comment.id}`,
            inlineOriginalSelection: comment.selection ?? '',
          },
        }),
    _links: { webui: `${pagePath}?focusedCommentId=${comment.id}` },
  }
}

export function toAttachmentWire(tenant: WikiTenant, attachment: WikiAttachment) {
  const { id, pageId, title, version } = attachment
  const name = toSlug(title)
  const download = `/download/attachments/${pageId}/${name}?version=${version.number}&modificationDate=${version.createdAt}&cacheVersion=1&api=v2`
  const webui = `/pages/viewpageattachments.action?pageId=${pageId}&preview=${encodeURIComponent(`/${pageId}/${id.slice(3)}/${title}`)}`
  return {
    id,
    status: attachment.status,
    title,
    createdAt: instant(attachment.createdAt),
    ...toHolder(tenant, pageId),
    mediaType: attachment.mediaType,
    comment: attachment.comment,
    fileId: attachment.fileId,
    fileSize: attachment.fileSize,
    webuiLink: webui,
    downloadLink: download,
    version: toVersionWire(version),
    _links: { webui, download },
  }
}

export const toUserWire = (user: WikiUser) => ({
  displayName: user.displayName,
  publicName: user.displayName,
  accountStatus: user.closed === true ? 'closed' : 'active',
  accountType: user.app === true ? 'app' : 'atlassian',
  accountId: user.accountId,
  email: user.email,
})
