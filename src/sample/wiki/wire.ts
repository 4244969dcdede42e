import type { WikiAttachment, WikiComment, WikiPage, WikiSpace } from './tenant.ts'

/** The objects of the platform's replies, member for member as its contract has them. */

const slug = (title: string) => encodeURIComponent(title.replace(/\s+/g, '+')).replaceAll('%2B', '+')

const body = (format: string | null, value: string) =>
  format === null ? {} : { body: { [format]: { representation: format, value } } }

export function toSpace(space: WikiSpace): object {
  return {
    id: space.id,
    key: space.key,
    name: space.name,
    type: space.type,
    status: space.status,
    authorId: '712020:00000000-0000-4000-8000-000000000001',
    createdAt: space.createdAt,
    homepageId: space.homepageId,
    description: { plain: { value: space.description, representation: 'plain' } },
    icon: null,
    _links: { webui: `/spaces/${space.key}` },
  }
}

export function toPage(page: WikiPage, space: WikiSpace | undefined, format: string | null): object {
  const value = typeof page.body === 'function' ? page.body() : page.body
  const key = space?.key ?? 'UNKNOWN'
  return {
    id: page.id,
    status: page.status,
    title: page.title,
    spaceId: page.spaceId,
    parentId: page.parentId,
    parentType: page.parentId === null ? null : 'page',
    position: null,
    authorId: page.authorId,
    ownerId: page.ownerId,
    lastOwnerId: null,
    createdAt: page.createdAt,
    version: { ...page.version, message: null, minorEdit: false },
    ...(format === null ? { body: {} } : body(format, value)),
    _links: {
      webui: `/spaces/${key}/pages/${page.id}/${slug(page.title)}`,
      editui: `/pages/resumedraft.action?draftId=${page.id}`,
      tinyui: `/x/${Buffer.from(page.id).toString('base64url')}`,
    },
  }
}

export function toComment(comment: WikiComment, page: WikiPage | undefined, format: string | null): object {
  const shared = {
    id: comment.id,
    status: comment.status,
    title: `Re: ${page?.title ?? ''}`,
    pageId: comment.pageId,
    ...(comment.parentId === undefined ? {} : { parentCommentId: comment.parentId }),
    version: { ...comment.version, message: null, minorEdit: false },
    ...body(format, comment.body),
    _links: { webui: `/spaces/viewpage.action?pageId=${comment.pageId}&focusedCommentId=${comment.id}` },
  }
  if (comment.kind === 'footer') return shared
  return {
    ...shared,
    resolutionStatus: comment.resolution ?? 'open',
    properties: { inlineMarkerRef: `ref-${comment.id}`, inlineOriginalSelection: comment.selection ?? '' },
  }
}

export function toAttachment(
  attachment: WikiAttachment,
  page: WikiPage | undefined,
  space: WikiSpace | undefined,
): object {
  const file = encodeURIComponent(attachment.title)
  const download = `/download/attachments/${attachment.pageId}/${file}?version=${attachment.version.number}`
  const webui = `/pages/viewpageattachments.action?pageId=${attachment.pageId}&preview=${encodeURIComponent(`/${attachment.pageId}/${attachment.id}/${attachment.title}`)}`
  return {
    id: attachment.id,
    status: attachment.status,
    title: attachment.title,
    createdAt: attachment.createdAt,
    pageId: attachment.pageId,
    mediaType: attachment.mediaType,
    mediaTypeDescription: '',
    comment: `Attached to ${page?.title ?? ''} in ${space?.key ?? ''}`,
    fileId: attachment.fileId,
    fileSize: attachment.fileSize ?? attachment.bytes().byteLength,
    webuiLink: webui,
    downloadLink: download,
    version: { ...attachment.version, message: null, minorEdit: false },
    _links: { webui, download },
  }
}
