import { z } from 'zod'
import { readOutsideInstant } from '../../kernel/instant.ts'

/**
 * Schemas of the wiki's responses, limited to the members in use. Actual responses omit members, send null, and add
 * unknown members.
 */

/** Ids are digits that may exceed 2^53, so they are strings; some responses send small ones as numbers. */
const id = z.union([z.string().min(1).max(64), z.int()]).transform(String)
const optionalId = z.union([z.string(), z.int()]).transform(String).nullish()
const text = z.string().nullish()
const Version = z.object({ number: z.number().nullish(), createdAt: text, authorId: text }).nullish()
const Body = z
  .looseObject({
    storage: z.object({ value: text }).nullish(),
    view: z.object({ value: text }).nullish(),
  })
  .nullish()
const Links = z.object({ webui: text }).nullish()

export const SpaceWire = z.object({
  id,
  key: z.string(),
  name: text,
  type: text,
  status: text,
  homepageId: z.union([z.string(), z.int()]).nullish(),
  createdAt: text,
  description: z.object({ plain: z.object({ value: text }).nullish() }).nullish(),
  _links: Links,
})
export type SpaceWire = z.infer<typeof SpaceWire>

export const PageWire = z.object({
  id,
  status: text,
  title: text,
  spaceId: optionalId,
  parentId: optionalId,
  parentType: text,
  authorId: text,
  ownerId: text,
  createdAt: text,
  version: Version,
  body: Body,
  _links: Links,
})
export type PageWire = z.infer<typeof PageWire>

export const AttachmentWire = z.object({
  id,
  status: text,
  title: text,
  createdAt: text,
  pageId: optionalId,
  blogPostId: optionalId,
  customContentId: optionalId,
  mediaType: text,
  comment: text,
  fileId: text,
  fileSize: z.number().nullish(),
  webuiLink: text,
  version: Version,
  _links: Links,
})
export type AttachmentWire = z.infer<typeof AttachmentWire>

export const CommentWire = z.object({
  id,
  status: text,
  pageId: optionalId,
  blogPostId: optionalId,
  attachmentId: optionalId,
  customContentId: optionalId,
  parentCommentId: optionalId,
  resolutionStatus: text,
  version: Version,
  body: Body,
  _links: Links,
})
export type CommentWire = z.infer<typeof CommentWire>

const VersionedWire = z.object({ title: text, body: Body }).nullish()

/** A version of one of four kinds of items, whose id within the list is its number. */
export const VersionWire = z
  .object({
    number: z.int(),
    createdAt: text,
    page: VersionedWire,
    blogpost: VersionedWire,
    attachment: VersionedWire,
    comment: VersionedWire,
  })
  .transform((wire) => ({ ...wire, id: String(wire.number) }))
export type VersionWire = z.infer<typeof VersionWire>

export const LabelWire = z.object({ id, name: z.string(), prefix: text })
export type LabelWire = z.infer<typeof LabelWire>

export const UserWire = z.object({
  type: text,
  accountId: text,
  accountStatus: text,
  accountType: text,
  displayName: text,
  publicName: text,
})

export const SpacePermissionWire = z.object({
  id,
  principal: z.object({ type: text, id: text }).nullish(),
  operation: z.object({ key: text, targetType: text }).nullish(),
})

/** A space of API v1, whose permissions say whether visitors may read it. */
export const SpaceAccessWire = z.object({
  permissions: z.array(
    z.object({
      operation: z.object({ operation: text, targetType: text }).nullish(),
      anonymousAccess: z.boolean().nullish(),
      unlicensedAccess: z.boolean().nullish(),
    }),
  ),
})

const Accounts = z.object({ results: z.array(z.object({ accountId: text })), limit: z.number().nullish() })
/** Whom an item is restricted to. */
export const NamesWire = z.object({
  user: Accounts,
  group: z.object({ results: z.array(z.object({ id: text })), limit: z.number().nullish() }),
})
export type NamesWire = z.infer<typeof NamesWire>

/** An item of API v1 with what it lies in and its restrictions. */
export const ContentAccessWire = z.object({
  id,
  ancestors: z.array(z.object({ id })),
  restrictions: z.object({ read: z.object({ restrictions: NamesWire.nullish() }).nullish() }).nullish(),
})
export type ContentAccessWire = z.infer<typeof ContentAccessWire>

export const CountWire = z.object({ totalSize: z.number().nullish() })
export const MembersWire = Accounts.extend({ totalSize: z.number().nullish() })

/** One page of a listing. */
export const ListWire = z.object({
  results: z.array(z.unknown()),
  _links: z.object({ next: text, base: text }).nullish(),
})

/** Parses an ISO 8601 instant to milliseconds since the epoch; undefined where there is none. */
export function toInstant(value: string | null | undefined): number | undefined {
  return value === null || value === undefined ? undefined : readOutsideInstant(value)
}

export function storageOf(item: { body?: z.infer<typeof Body> }): string | undefined {
  return item.body?.storage?.value ?? undefined
}
