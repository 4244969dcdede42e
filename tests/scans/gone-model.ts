import type { WikiComment, WikiItem, WikiPage, WikiTenant } from '../../src/sample/wiki/tenant.ts'
import type { HistoryMode } from '../../src/sources/model.ts'

/** What an open finding says about where it can be read, or that it is resolved. */
export type Told = 'current' | 'archived' | 'history' | 'trash' | 'RESOLVED'

/** Consecutive complete scans without an asset after which it is gone, unless the platform has it in the trash. */
const ABSENCES = 2

export const secretsIn = (text: string): string[] => text.match(/\bkey:\w+/g) ?? []

interface Known {
  holderId: string
  missed: number
  told: Map<string, Told>
}

interface Asset {
  key: string
  holder: WikiPage
  /** Its items: the page, the file, or the comments. */
  items: readonly WikiItem[]
  isListed: boolean
}

/** What a reader of a wiki can see of secrets, and so what the findings are after each complete scan. */
export class ReaderModel {
  readonly known = new Map<string, Known>()
  readonly #tenant: WikiTenant
  readonly #mode: HistoryMode

  constructor(tenant: WikiTenant, mode: HistoryMode) {
    this.#tenant = tenant
    this.#mode = mode
  }

  #textOf(item: WikiItem): string {
    if ('bytes' in item) return new TextDecoder().decode(item.bytes())
    return typeof item.body === 'string' ? item.body : item.body()
  }

  *#assets(): Generator<Asset> {
    const { pages, comments, attachments, cloudId } = this.#tenant
    const keyOf = (kind: string, id: string) => `wiki:${cloudId}:${kind}:${id}`
    for (const holder of pages.values()) {
      const isListed = holder.status === 'current' || holder.status === 'archived'
      yield { key: keyOf('page', holder.id), holder, items: [holder], isListed }
      const items: WikiComment[] = [...comments.values()].filter(({ pageId }) => pageId === holder.id)
      yield { key: keyOf('comments', holder.id), holder, items, isListed: isListed && items.length > 0 }
      for (const file of attachments.values()) {
        if (file.pageId !== holder.id) continue
        yield {
          key: keyOf('attachment', file.id),
          holder,
          items: [file],
          isListed: isListed && file.status === 'current',
        }
      }
    }
  }

  /** What a complete scan of the tenant, as it is now, leaves. */
  scan(): void {
    const assets = new Map([...this.#assets()].map((asset) => [asset.key, asset]))
    for (const asset of assets.values()) if (asset.isListed) this.#see(asset)
    for (const [key, known] of this.known) {
      const asset = assets.get(key)
      if (asset?.isListed === true) continue
      // What stood on a page in the trash cannot be looked at, and comes back with the page.
      const isInTrash =
        this.#tenant.pages.get(known.holderId)?.status === 'trashed' ||
        asset?.items.some(({ status }) => status === 'trashed') === true
      this.#miss(known, isInTrash && this.#mode !== 'off')
    }
  }

  #see({ key, holder, items }: Asset): void {
    const known = this.known.get(key) ?? { holderId: holder.id, missed: 0, told: new Map<string, Told>() }
    this.known.set(key, known)
    known.missed = 0
    const present = new Set(items.flatMap((item) => secretsIn(this.#textOf(item))))
    const earlier = new Set(
      items
        .flatMap(({ id }) => this.#tenant.versions.get(id) ?? [])
        .flatMap((version) => secretsIn(this.#textOf(version))),
    )
    for (const [secret, told] of known.told) {
      if (told === 'RESOLVED') continue
      known.told.set(secret, earlier.has(secret) && this.#mode !== 'off' ? 'history' : 'RESOLVED')
    }
    if (this.#mode === 'all') for (const secret of earlier) known.told.set(secret, 'history')
    for (const secret of present) known.told.set(secret, holder.status === 'archived' ? 'archived' : 'current')
  }

  #miss(known: Known, isInTrash: boolean): void {
    known.missed++
    for (const [secret, told] of known.told) {
      if (told === 'RESOLVED') continue
      if (isInTrash) known.told.set(secret, 'trash')
      else if (known.missed >= ABSENCES) known.told.set(secret, 'RESOLVED')
    }
  }
}
