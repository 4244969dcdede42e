export const WORDS = ['a', 'b', 'c', 'd']

/** An item of a tenant: its texts by section, as words. */
export interface Item {
  key: string
  kind: string
  /** Number of the space or workspace that it stands in. */
  place: number
  isThere: boolean
  texts: Record<string, Set<string>>
  /** Key of the item that it is listed through. */
  parent?: string
}

/** What one scan sees of a tenant. */
export interface Sight {
  /** Listed by this scan. */
  isListed(item: Item): boolean
  /** Were it there, this scan would list it: of an item last seen in this place. */
  isMissed(item: Item, place: number): boolean
  isRead(item: Item, section: string): boolean
}

export interface ModelFinding {
  status: 'OPEN' | 'RESOLVED' | 'IGNORED' | 'FALSE_POSITIVE'
  history: string[]
}

interface Known {
  texts: Map<string, Set<string>>
  place: number
  missed: number
}

export interface Foretold {
  new: number
  resolved: number
  /** Findings that stay although the sections that had them were edited, are not read, and no other one has them. */
  stale: number
}

/** What a tool that knows what was visible when would say: a word is there while a section as it was last read has it. */
export class Model {
  readonly findings = new Map<string, ModelFinding>()
  readonly #known = new Map<string, Known>()

  foretell(items: readonly Item[], sight: Sight): Foretold {
    const counts = { new: 0, resolved: 0, stale: 0 }
    for (const item of items) {
      if (sight.isListed(item)) this.#see(item, (section) => sight.isRead(item, section), counts)
      else {
        const known = this.#known.get(item.key)
        if (known !== undefined && sight.isMissed(item, this.#placeOf(item, known))) this.#miss(item, known, counts)
      }
    }
    return counts
  }

  #see(item: Item, isRead: (section: string) => boolean, counts: Foretold): void {
    const known = this.#known.get(item.key) ?? { texts: new Map(), place: item.place, missed: 0 }
    this.#known.set(item.key, known)
    Object.assign(known, { place: item.place, missed: 0 })
    const isSame = (section: string) => [...(known.texts.get(section) ?? [])].join() === toWords(item, section).join()
    const stale = Object.keys(item.texts).filter((section) => !isRead(section) && !isSame(section))
    for (const section of Object.keys(item.texts)) {
      if (isRead(section)) known.texts.set(section, new Set(toWords(item, section)))
    }
    for (const word of WORDS) {
      const isPresent = known.texts.values().some((words) => words.has(word))
      const id = `${item.key} ${word}`
      const finding = this.findings.get(id)
      if (isPresent && finding === undefined) {
        this.findings.set(id, { status: 'OPEN', history: [] })
        counts.new++
      } else if (isPresent && finding?.status === 'RESOLVED') this.#move(finding, 'OPEN')
      else if (!isPresent && finding?.status === 'OPEN') this.#resolve(finding, counts)
      const isSeen = Object.keys(item.texts).some((section) => isRead(section) && item.texts[section]?.has(word))
      if (!isSeen && stale.some((section) => known.texts.get(section)?.has(word) === true)) counts.stale++
    }
  }

  /** What is listed through another item is where that was last seen. */
  #placeOf({ parent }: Item, known: Known): number {
    return (parent === undefined ? undefined : this.#known.get(parent))?.place ?? known.place
  }

  #miss(item: Item, known: Known, counts: Foretold): void {
    known.missed++
    if (known.missed < 2) return
    this.#known.delete(item.key)
    for (const [id, finding] of this.findings) {
      if (id.startsWith(`${item.key} `) && finding.status === 'OPEN') this.#resolve(finding, counts)
    }
  }

  decide(id: string, status: 'IGNORED' | 'FALSE_POSITIVE'): void {
    const finding = this.findings.get(id)
    if (finding !== undefined) this.#move(finding, status)
  }

  #resolve(finding: ModelFinding, counts: Foretold): void {
    this.#move(finding, 'RESOLVED')
    counts.resolved++
  }

  #move(finding: ModelFinding, to: ModelFinding['status']): void {
    finding.status = to
    finding.history.push(to)
  }
}

const toWords = (item: Item, section: string) => WORDS.filter((word) => item.texts[section]?.has(word))

export const toText = (words: ReadonlySet<string> = new Set()) =>
  ['text', ...[...words].map((word) => `word:${word}`)].join(' ')

export interface Chance {
  (p: number): boolean
  pick<T>(items: readonly T[]): T
}

/** A tenant whose history is told: what is in it, what of it may be seen, and how it changes. */
export interface World {
  config: Record<string, unknown>
  items: readonly Item[]
  /** What a scan would see now. */
  sight: Sight
  requests: readonly unknown[]
  /** Another part of the tenant may be seen; returns the options of the source that go with it. */
  changeView(chance: Chance): object
  /** Puts the items, as they are now, into the tenant. */
  publish(): void
  close(): Promise<void>
}
