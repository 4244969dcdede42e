/** A wiki tenant as data, and the edits that people make to it between two scans. */
export interface WikiUser {
  accountId: string
  displayName: string
  email: string
  active: boolean
}

export interface WikiSpace {
  id: string
  key: string
  name: string
  type: 'global' | 'personal' | 'collaboration' | 'knowledge_base' | 'system' | 'onboarding' | 'xflow_sample_space'
  status: 'current' | 'archived'
  description: string
  labels: string[]
  createdAt: string
  homepageId: string
}

export interface WikiVersion {
  number: number
  createdAt: string
  authorId: string
}

export interface WikiPage {
  id: string
  spaceId: string
  title: string
  status: 'current' | 'archived' | 'trashed' | 'deleted'
  parentId: string | null
  authorId: string
  ownerId: string
  createdAt: string
  version: WikiVersion
  labels: string[]
  /** Storage format; a function is asked each time, so that a large tenant need not be held in memory. */
  body: string | (() => string)
}

export interface WikiComment {
  id: string
  pageId: string
  kind: 'footer' | 'inline'
  /** The comment that it replies to. */
  parentId?: string
  status: 'current' | 'deleted'
  resolution?: 'open' | 'resolved' | 'reopened' | 'dangling'
  selection?: string
  version: WikiVersion
  body: string
}

export interface WikiAttachment {
  id: string
  pageId: string
  title: string
  mediaType: string
  fileId: string
  status: 'current' | 'trashed'
  createdAt: string
  version: WikiVersion
  bytes: () => Uint8Array
  /** What the platform says; absent: the real length. */
  fileSize?: number
}

export interface WikiContent {
  cloudId: string
  users: WikiUser[]
  spaces: WikiSpace[]
  pages: WikiPage[]
  comments: WikiComment[]
  attachments: WikiAttachment[]
}

export class WikiTenant {
  readonly cloudId: string
  readonly users: WikiUser[]
  readonly spaces = new Map<string, WikiSpace>()
  readonly pages = new Map<string, WikiPage>()
  readonly comments = new Map<string, WikiComment>()
  readonly attachments = new Map<string, WikiAttachment>()
  #clock: number

  constructor(content: WikiContent, options: { now?: number } = {}) {
    this.cloudId = content.cloudId
    this.users = content.users
    for (const space of content.spaces) this.spaces.set(space.id, space)
    for (const page of content.pages) this.pages.set(page.id, page)
    for (const comment of content.comments) this.comments.set(comment.id, comment)
    for (const attachment of content.attachments) this.attachments.set(attachment.id, attachment)
    this.#clock = options.now ?? Date.UTC(2026, 9, 1)
  }

  /** A person changes the page: its version goes up, as the platform does it. */
  editPage(
    id: string,
    change: Partial<Pick<WikiPage, 'body' | 'title' | 'labels' | 'parentId' | 'spaceId' | 'ownerId'>>,
  ): void {
    const page = this.#get(this.pages, id)
    this.pages.set(id, { ...page, ...change, version: this.#next(page.version) })
  }

  /** Into the trash: gone from every list of current pages. */
  deletePage(id: string): void {
    this.pages.set(id, { ...this.#get(this.pages, id), status: 'trashed' })
  }

  restorePage(id: string): void {
    this.pages.set(id, { ...this.#get(this.pages, id), status: 'current' })
  }

  /** Gone, as if it had never been. */
  purgePage(id: string): void {
    this.#get(this.pages, id)
    this.pages.delete(id)
  }

  addPage(page: WikiPage): void {
    this.pages.set(page.id, page)
  }

  addComment(comment: Omit<WikiComment, 'version' | 'status'>): void {
    const version = { number: 1, createdAt: this.#tick(), authorId: this.users[0]?.accountId ?? '' }
    this.comments.set(comment.id, { ...comment, status: 'current', version })
  }

  editComment(id: string, body: string): void {
    const comment = this.#get(this.comments, id)
    this.comments.set(id, { ...comment, body, version: this.#next(comment.version) })
  }

  deleteComment(id: string): void {
    this.#get(this.comments, id)
    this.comments.delete(id)
  }

  replaceAttachment(id: string, bytes: () => Uint8Array): void {
    const { fileSize: _, ...attachment } = this.#get(this.attachments, id)
    const version = this.#next(attachment.version)
    this.attachments.set(id, { ...attachment, bytes, fileId: `${attachment.fileId}-v${version.number}`, version })
  }

  deleteAttachment(id: string): void {
    this.attachments.set(id, { ...this.#get(this.attachments, id), status: 'trashed' })
  }

  #get<T>(map: Map<string, T>, id: string): T {
    const item = map.get(id)
    if (item === undefined) throw new Error(`the sample wiki has no ${id}`)
    return item
  }

  #tick(): string {
    this.#clock += 60_000
    return new Date(this.#clock).toISOString()
  }

  #next(version: WikiVersion): WikiVersion {
    return { ...version, number: version.number + 1, createdAt: this.#tick() }
  }
}
