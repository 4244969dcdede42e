import { toSafeText } from '../../detectors/safe-text.ts'
import type { AssayDocument } from '../../documents/document.ts'
import { AppError } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import type { AssetDraft, ScanWarning } from '../connector.ts'
import { sha256 } from './checksum.ts'
import type { WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { readListPages } from './listing.ts'
import { SpaceWire, toInstant } from './wire.ts'

type SpaceFilter = WikiConfig['optional']['scope']['spaces']

/** Limit on the length of one query parameter, so that URLs stay below the limits of proxies. */
const MAX_PARAMETER_CHARS = 1_000

/**
 * Joins values with commas into as many parameters as the length limit requires; no values give one absent parameter.
 */
function toParameters(values: readonly (string | number)[] | undefined): (string | undefined)[] {
  if (values === undefined || values.length === 0) return [undefined]
  const parameters: string[] = []
  for (const value of values.map(String)) {
    const last = parameters.at(-1)
    const fits = last !== undefined && encodeURIComponent(`${last},${value}`).length <= MAX_PARAMETER_CHARS
    if (fits) parameters[parameters.length - 1] = `${last},${value}`
    else parameters.push(value)
  }
  return parameters
}

export function isFiltered(filter: SpaceFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined && (!Array.isArray(value) || value.length > 0))
}

export interface SpaceList {
  spaces: SpaceWire[]
  /** True where entries could not be read, so spaces missing from the list may still exist. */
  unreadable: boolean
}

/**
 * The spaces that match all filters; the platform silently omits unknown ids and keys. Ids may exceed 2^53, so they may
 * be strings.
 */
export async function listSpaces(
  { http }: WikiClient,
  filter: Omit<SpaceFilter, 'ids'> & { ids?: readonly (string | number)[] | undefined },
): Promise<SpaceList> {
  const found = new Map<string, SpaceWire>()
  let unreadable = false
  for (const ids of toParameters(filter.ids)) {
    for (const keys of toParameters(filter.keys)) {
      for (const labels of toParameters(filter.labels)) {
        const query = {
          ids,
          keys,
          labels,
          type: filter.type,
          status: filter.status,
          sort: 'id',
          'description-format': 'plain',
        }
        for await (const page of readListPages(http, { path: '/spaces', query, item: SpaceWire })) {
          unreadable ||= page.unreadable > 0
          for (const space of page.items) found.set(space.id, space)
        }
      }
    }
  }
  return { spaces: [...found.values()], unreadable }
}

/**
 * Warnings for requested ids and keys that match no space.
 * @throws AppError `unavailable` where no space is left
 */
export function checkScope(filter: SpaceFilter, { spaces, unreadable }: SpaceList): ScanWarning[] {
  const ids = new Set(spaces.map(({ id }) => id))
  const keys = new Set(spaces.map(({ key }) => key.toLowerCase()))
  const unmatched = [
    ...new Set(filter.ids?.map(String)).difference(ids),
    ...(filter.keys ?? []).filter((key) => !keys.has(key.toLowerCase())),
  ]
  const unreadableMessage = 'The list of spaces contains entries in an unknown format; the next scan tries again.'
  if (spaces.length === 0 && unreadable) {
    throw new AppError('unavailable', unreadableMessage, { reason: 'entries_unreadable' })
  }
  if (spaces.length === 0) {
    const message = isFiltered(filter)
      ? 'No space matches the scope of this source; check its keys and filters, and the permissions of the account.'
      : 'No space is visible to the account; give it the right to read the spaces to scan.'
    throw new AppError('not_found', message, {
      reason: isFiltered(filter) ? 'scope_unmatched' : 'nothing_visible',
      facts: { unmatched: unmatched.slice(0, 50) },
    })
  }
  return [
    ...unmatched.map((name) => ({
      code: 'scope_unmatched',
      message: `No visible space has the id or key ${quote(toSafeText(name, 'prose'))}, or another filter excludes it.`,
      scope: name,
    })),
    ...(unreadable ? [{ code: 'entries_unreadable', incomplete: true, message: unreadableMessage }] : []),
  ]
}

export const nameOf = (space: SpaceWire) => space.name ?? space.key

export function toSpaceKey({ prefix }: Pick<WikiClient, 'prefix'>, id: string): string {
  return `${prefix}:space:${id}`
}

/** Absolute URL of a link that the platform gives relative to `/wiki`, with or without that prefix. */
export function toSiteUrl(site: string, path: string): string {
  const rooted = path.startsWith('/') ? path : `/${path}`
  return rooted.startsWith('/wiki/') ? `${site}${rooted}` : `${site}/wiki${rooted}`
}

export function toSpaceDraft(client: WikiClient, space: SpaceWire): AssetDraft {
  const name = nameOf(space)
  const reported = space.description?.plain?.value
  const description = reported ?? ''
  const unread = [
    ...(typeof space.name === 'string' ? [] : ['name']),
    ...(typeof reported === 'string' ? [] : ['description']),
  ].map((section) => ({ section, reason: 'missing' as const }))
  const { id, key, type, status, homepageId } = space
  const created = toInstant(space.createdAt)
  return {
    key: toSpaceKey(client, id),
    kind: 'wiki.space',
    name,
    url: toSiteUrl(client.site, space._links?.webui ?? `/spaces/${encodeURIComponent(key)}`),
    container: name,
    checksum: sha256(
      JSON.stringify([id, key, name, type, status, homepageId, description].map((value) => value ?? null)),
    ),
    links: [],
    unread,
    ...(created === undefined ? {} : { contentCreatedAt: created }),
    facts: { spaceKey: key, type: type ?? null, status: status ?? null, homepageId: homepageId ?? null },
    document: async (): Promise<AssayDocument> => ({
      mime: 'text/plain',
      parts: [
        { kind: 'name' as const, text: space.name ?? '', path: 'name', section: 'name' },
        { kind: 'text' as const, text: description, path: 'description', section: 'description' },
      ].filter(({ text }) => text.trim() !== ''),
      links: [],
    }),
  }
}
