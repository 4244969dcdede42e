import { toBytes } from '../company/files.ts'
import {
  authors,
  type CommentSpec,
  companyPages,
  type PageSpec,
  type SpaceKey,
  toAccountId,
  toFileId,
  toPageId,
} from '../company/page.ts'
import { toContentId } from '../ids.ts'
import { type WikiSpace, WikiTenant } from './tenant.ts'

const DAY_MS = 86_400_000
const FOUNDED = Date.UTC(2018, 3, 9, 8)

const spaces: readonly (Pick<WikiSpace, 'key' | 'name' | 'description'> & { home: string } & Partial<WikiSpace>)[] = [
  {
    key: 'ENG',
    name: 'Engineering',
    description: 'Systems, decisions and how we build.',
    home: 'eng-home',
    labels: ['tech'],
  },
  {
    key: 'OPS',
    name: 'Operations',
    description: 'Runbooks, alerts and reviews.',
    home: 'ops-home',
    labels: ['tech', 'on-call'],
  },
  {
    key: 'PEOPLE',
    name: 'People',
    description: 'Work, rules and first weeks.',
    home: 'people-home',
    type: 'knowledge_base',
  },
  {
    key: 'RETAIL',
    name: 'Retail',
    description: 'Stores, suppliers and customers.',
    home: 'retail-home',
    type: 'collaboration',
  },
  { key: '~ebrightwell', name: 'Edith Brightwell', description: '', home: 'personal-home', type: 'personal' },
  { key: 'OLD', name: 'Handbook 2019', description: 'The old handbook.', home: 'old-home', status: 'archived' },
]

const PEOPLE_TEAM = 'sample-people-team'

/** The old handbook is open to visitors; a team and a person keep their spaces to themselves. */
function addAccess(tenant: WikiTenant): void {
  const closed = { users: [], groups: [], anonymous: false, unlicensed: false }
  const members = [1, 4, 6].map(toAccountId)
  tenant.groups.set(PEOPLE_TEAM, { id: PEOPLE_TEAM, name: 'people-team', members })
  tenant.access.set(toSpaceId('PEOPLE'), { ...closed, groups: [PEOPLE_TEAM] })
  tenant.access.set(toSpaceId('~ebrightwell'), { ...closed, users: [toAccountId(0)] })
  tenant.access.set(toSpaceId('OLD'), { ...closed, groups: [PEOPLE_TEAM], anonymous: true })
}

const homes = new Map(spaces.map(({ key, home }) => [key, home]))

export const toSpaceId = (key: SpaceKey) => toContentId(`space ${key}`)

/** No page is older than the company, and pages are created before they are edited. */
function toDates(page: PageSpec, today: number): { createdAt: number; updatedAt: number } {
  const updatedAt = typeof page.edited === 'string' ? Date.parse(page.edited) : today - page.edited * DAY_MS
  return { createdAt: Math.max(FOUNDED, updatedAt - 200 * DAY_MS), updatedAt }
}

function addComments(
  tenant: WikiTenant,
  page: PageSpec,
  comments: readonly CommentSpec[],
  at: { path: string; parentId?: string; kind?: 'footer' | 'inline'; createdAt: number },
): void {
  for (const [index, comment] of comments.entries()) {
    const path = `${at.path}.${index}`
    const kind = comment.kind ?? at.kind ?? 'footer'
    const createdAt = at.createdAt + (index + 1) * 3_600_000
    const added = tenant.addComment(toPageId(page.slug), {
      id: toContentId(`comment ${page.slug} ${path}`),
      kind,
      body: comment.body,
      createdAt,
      authorId: toAccountId((page.author ?? 0) + path.length),
      ...(at.parentId === undefined ? {} : { parentId: at.parentId }),
      ...(comment.selection === undefined ? {} : { selection: comment.selection }),
      ...(comment.resolution === undefined ? {} : { resolution: comment.resolution }),
    })
    addComments(tenant, page, comment.replies ?? [], { path, parentId: added.id, kind, createdAt })
  }
}

/**
 * The wiki of the sample company. Ids, titles and texts are the same in every run and contain no URL of a running
 * server; dates of maintained pages are relative to `today`, those of abandoned ones are fixed.
 */
export function createSampleWikiTenant(options: { today?: number } = {}): WikiTenant {
  const today = Math.floor((options.today ?? Date.now()) / DAY_MS) * DAY_MS
  const tenant = new WikiTenant()
  for (const [index, [displayName, name]] of authors.entries()) {
    tenant.addUser({ accountId: toAccountId(index), displayName, email: `${name}@larkmoor-outfitters.com` })
  }
  for (const { home, ...space } of spaces) {
    tenant.addSpace({ ...space, createdAt: FOUNDED, homepageId: toPageId(home) })
  }
  addAccess(tenant)
  for (const [index, page] of companyPages.entries()) {
    const home = homes.get(page.space)
    const parent = page.parent ?? (page.slug === home ? undefined : home)
    const { createdAt, updatedAt } = toDates(page, today)
    tenant.addPage({
      id: toPageId(page.slug),
      spaceId: toSpaceId(page.space),
      title: page.title,
      body: page.body,
      labels: page.labels ?? [],
      authorId: toAccountId(page.author ?? 0),
      createdAt,
      updatedAt,
      versionNumber: 1 + (index % 7),
      ...(parent === undefined ? {} : { parentId: toPageId(parent) }),
    })
    addComments(tenant, page, page.comments ?? [], { path: 'c', createdAt: updatedAt })
    for (const { filename, mediaType, content, comment } of page.files ?? []) {
      const file = toBytes(content)
      tenant.addAttachment(toPageId(page.slug), {
        id: toFileId(page.slug, filename),
        title: filename,
        mediaType,
        bytes: file,
        createdAt: updatedAt,
        ...(comment === undefined ? {} : { comment }),
      })
    }
  }
  return tenant
}
