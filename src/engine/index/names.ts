import { foldCase } from '../../kernel/fold.ts'
import type { SafeText } from '../../kernel/safe-text.ts'

/** A source under the names that queries use. */
export interface SourceName {
  id: number
  uid: string
  name: SafeText
  type: SafeText
}

/** The store's dictionaries: words and sources. */
export class Names {
  /** Incremented when names are added or changed. */
  version = 0
  newestWord = -1
  newestSet = -1
  definitions = -1
  sources: readonly SourceName[] = []
  readonly #words = new Map<number, SafeText>()
  /** The ids of the words that are equal apart from letter case. */
  readonly #ids = new Map<string, number | number[]>()
  readonly #sets = new Map<number, number[]>()
  #byId = new Map<number, SourceName>()

  addWords(rows: readonly { id: number; text: SafeText }[]): void {
    for (const { id, text } of rows) {
      this.#words.set(id, text)
      const folded = foldCase(text)
      const others = this.#ids.get(folded)
      this.#ids.set(folded, others === undefined ? id : [others, id].flat())
      this.newestWord = id
    }
    this.version++
  }

  addLabelSets(rows: readonly (readonly [set: number, word: number])[], newest: number): void {
    for (const [set, word] of rows) {
      const words = this.#sets.get(set)
      if (words === undefined) this.#sets.set(set, [word])
      else words.push(word)
    }
    this.newestSet = newest
    this.version++
  }

  /** The ids of the words of a set of labels; [0] for the empty set. */
  labelsOf(set: number): readonly number[] {
    return this.#sets.get(set) ?? [0]
  }

  setSources(sources: readonly SourceName[], definitions: number): void {
    const same =
      sources.length === this.sources.length &&
      sources.every((source) => {
        const known = this.#byId.get(source.id)
        return known?.name === source.name && known.uid === source.uid && known.type === source.type
      })
    this.definitions = definitions
    if (same) return
    this.sources = sources
    this.#byId = new Map(sources.map((source) => [source.id, source]))
    this.version++
  }

  /** The ids of a word in any letter case; [0] for ''. */
  findWords(text: string): readonly number[] {
    return [this.#ids.get(foldCase(text)) ?? []].flat()
  }

  hasWord(id: number): boolean {
    return this.#words.has(id)
  }

  /** The word of an id; null for id 0 (no name) and for unknown ids. */
  wordOf(id: number): SafeText | null {
    return id === 0 ? null : (this.#words.get(id) ?? null)
  }

  sourceOf(id: number): SourceName | undefined {
    return this.#byId.get(id)
  }
}
