import { toContentId, toGuid } from '../ids.ts'

export interface Version {
  number: number
  /** Milliseconds since the epoch. */
  createdAt: number
  authorId: string
}

export type ContentStatus = 'current' | 'archived' | 'trashed' | 'deleted'

export interface WikiSpace {
  id: string
  key: string
  name: string
  type: 'global' | 'collaboration' | 'knowledge_base' | 'personal' | 'system' | 'onboarding' | 'xflow_sample_space'
  status: 'current' | 'archived'
  createdAt: number
  description: string
  labels: readonly string[]
  homepageId: string | null
}

/** A page or a blog post. */
export interface WikiPage {
  id: string
  kind: 'page' | 'blogpost'
  spaceId: string
  parentId: string | null
  parentType?: 'page' | 'folder' | 'whiteboard' | 'database'
  title: string
  status: ContentStatus
  authorId: string
  ownerId: string
  createdAt: number
  version: Version
  labels: readonly string[]
  /** Storage format. A function is called on every read, so that large tenants do not hold bodies in memory. */
  body: string | (() => string)
}

export interface WikiComment {
  id: string
  kind: 'footer' | 'inline'
  pageId: string
  /** Undefined for comments on the page itself. */
  parentId?: string
  status: ContentStatus
  createdAt: number
  version: Version
  body: string
  resolution: 'open' | 'reopened' | 'resolved' | 'dangling'
  /** The text of the page that an inline comment refers to. */
  selection?: string
}

export interface WikiAttachment {
  id: string
  pageId: string
  title: string
  mediaType: string
  comment: string
  fileId: string
  status: ContentStatus
  createdAt: number
  version: Version
  /** Length in bytes, as reported by the listing. */
  fileSize: number
  bytes: () => Uint8Array
}

export interface WikiUser {
  accountId: string
  displayName: string
  email: string
  /** True for a closed account; its pages remain. */
  closed?: boolean
  /** True for the account of a program. */
  app?: boolean
}

export interface WikiGroup {
  id: string
  name: string
  members: readonly string[]
}

/** Who may read a space: users and groups by their ids, and visitors without an account or a licence. */
export interface WikiAccess {
  users: readonly string[]
  groups: readonly string[]
  anonymous: boolean
  unlicensed: boolean
}

export interface WikiFolder {
  id: string
  parentId: string | null
  parentType?: NonNullable<WikiPage['parentType']>
}

export interface NewPage {
  kind?: WikiPage['kind']
  spaceId: string
  title: string
  body: string | (() => string)
  id?: string
  parentId?: string
  labels?: readonly string[]
  createdAt?: number
  updatedAt?: number
  versionNumber?: number
  authorId?: string
  ownerId?: string
  status?: ContentStatus
}

export interface NewAttachment {
  title: string
  mediaType: string
  bytes: Uint8Array | (() => Uint8Array)
  id?: string
  comment?: string
  createdAt?: number
  /** For `bytes` given as a function, or for a listing that reports a false size. */
  fileSize?: number
}

export interface NewComment {
  body: string
  id?: string
  kind?: 'footer' | 'inline'
  parentId?: string
  createdAt?: number
  authorId?: string
  resolution?: WikiComment['resolution']
  selection?: string
}

export type WikiItem = WikiPage | WikiComment | WikiAttachment

function need<T>(found: T | undefined, what: string): T {
  if (found === undefined) throw new Error(`the sample wiki has no ${what}`)
  return found
}

/** All content of a wiki. */
export class WikiTenant {
  readonly cloudId: string
  readonly spaces = new Map<string, WikiSpace>()
  readonly pages = new Map<string, WikiPage>()
  readonly comments = new Map<string, WikiComment>()
  readonly attachments = new Map<string, WikiAttachment>()
  readonly users = new Map<string, WikiUser>()
  readonly groups = new Map<string, WikiGroup>()
  /** Who may read a space, by its id; all licensed users where nothing is set. */
  readonly access = new Map<string, WikiAccess>()
  /** Whom a page, blog post or folder is restricted to, with all that is below it, by its id. */
  readonly restrictions = new Map<string, Pick<WikiAccess, 'users' | 'groups'>>()
  readonly folders = new Map<string, WikiFolder>()
  /** Earlier versions by item, oldest first. */
  readonly versions = new Map<string, WikiItem[]>()
  /** Incremented by every edit, to invalidate data derived from the content. */
  revision = 0
  #edits = 0
  #lastEditAt = 0
  readonly #now: () => number

  /** `now` is the clock for edits without an explicit date. */
  constructor(options: { cloudId?: string; now?: () => number } = {}) {
    this.cloudId = options.cloudId ?? toGuid('sample-wiki')
    this.#now = options.now ?? Date.now
  }

  /** Notes an edit; returns its time, which is strictly increasing. */
  markEdited(): number {
    this.revision++
    this.#edits++
    this.#lastEditAt = Math.max(this.#now(), this.#lastEditAt + 1)
    return this.#lastEditAt
  }

  #author(): string {
    return this.users.keys().next().value ?? 'account-0'
  }

  addUser(user: WikiUser): WikiUser {
    this.markEdited()
    this.users.set(user.accountId, user)
    return user
  }

  addSpace(space: Partial<WikiSpace> & { key: string; name: string }): WikiSpace {
    const createdAt = this.markEdited()
    const added: WikiSpace = {
      id: toContentId(`space ${space.key}`),
      type: 'global',
      status: 'current',
      createdAt,
      description: '',
      labels: [],
      homepageId: null,
      ...space,
    }
    this.spaces.set(added.id, added)
    return added
  }

  getSpace(key: string): WikiSpace {
    return need(
      this.spaces.values().find((space) => space.key === key),
      `space ${key}`,
    )
  }

  addPage(page: NewPage): WikiPage {
    const now = this.markEdited()
    const { createdAt = now, updatedAt = createdAt, versionNumber = 1, parentId = null } = page
    const authorId = page.authorId ?? this.#author()
    const added: WikiPage = {
      id: page.id ?? toContentId(`page ${page.spaceId} ${page.title} ${this.#edits}`),
      kind: page.kind ?? 'page',
      spaceId: page.spaceId,
      parentId,
      title: page.title,
      status: page.status ?? 'current',
      authorId,
      ownerId: page.ownerId ?? authorId,
      createdAt,
      version: { number: versionNumber, createdAt: updatedAt, authorId },
      labels: page.labels ?? [],
      body: page.body,
    }
    this.pages.set(added.id, added)
    return added
  }

  getPage(id: string): WikiPage {
    return need(this.pages.get(id), `page ${id}`)
  }

  /** Applies an edit as a new version; the version before can still be read. */
  revise<T extends WikiItem>(item: T, change: Partial<T>): T {
    const { number, authorId } = item.version
    this.versions.set(item.id, [...(this.versions.get(item.id) ?? []), { ...item }])
    return Object.assign(item, change, { version: { number: number + 1, createdAt: this.markEdited(), authorId } })
  }

  bodyOf(page: Pick<WikiPage, 'body'>): string {
    return typeof page.body === 'string' ? page.body : page.body()
  }

  addComment(pageId: string, comment: NewComment): WikiComment {
    const now = this.markEdited()
    const parent = comment.parentId === undefined ? undefined : this.comments.get(comment.parentId)
    const { createdAt = now, authorId = this.#author() } = comment
    const added: WikiComment = {
      id: comment.id ?? toContentId(`comment ${pageId} ${comment.body} ${this.#edits}`),
      kind: comment.kind ?? parent?.kind ?? 'footer',
      pageId,
      ...(comment.parentId === undefined ? {} : { parentId: comment.parentId }),
      status: 'current',
      createdAt,
      version: { number: 1, createdAt, authorId },
      body: comment.body,
      resolution: comment.resolution ?? 'open',
      ...(comment.selection === undefined ? {} : { selection: comment.selection }),
    }
    this.comments.set(added.id, added)
    return added
  }

  addAttachment(pageId: string, file: NewAttachment): WikiAttachment {
    const now = this.markEdited()
    const { createdAt = now, bytes } = file
    const id = file.id ?? `att${toContentId(`attachment ${pageId} ${file.title} ${this.#edits}`)}`
    const authorId = this.#author()
    const added: WikiAttachment = {
      id,
      pageId,
      title: file.title,
      mediaType: file.mediaType,
      comment: file.comment ?? '',
      fileId: toGuid(`file ${id} 1`),
      status: 'current',
      createdAt,
      version: { number: 1, createdAt, authorId },
      fileSize: file.fileSize ?? (typeof bytes === 'function' ? bytes() : bytes).length,
      bytes: typeof bytes === 'function' ? bytes : () => bytes,
    }
    this.attachments.set(id, added)
    return added
  }

  getAttachment(id: string): WikiAttachment {
    return need(this.attachments.get(id), `attachment ${id}`)
  }
}
