import type { SafeText } from '../../kernel/safe-text.ts'

/** A source under the names that queries use. */
export interface SourceName {
  id: number
  uid: string
  name: SafeText
  type: SafeText
}

/** Folds the case of ASCII letters only, as the store does when it compares names of sources. */
export const foldAscii = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The store's dictionaries: words and sources. */
export class Names {
  /** Incremented when names are added or changed. */
  version = 0
  newestWord = -1
  definitions = -1
  sources: readonly SourceName[] = []
  readonly #words = new Map<number, SafeText>()
  readonly #ids = new Map<string, number>()
  #byId = new Map<number, SourceName>()

  addWords(rows: readonly { id: number; text: SafeText }[]): void {
    for (const { id, text } of rows) {
      this.#words.set(id, text)
      this.#ids.set(text, id)
      this.newestWord = id
    }
    this.version++
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

  findWord(text: string): number | undefined {
    return this.#ids.get(text)
  }

  /** The word of an id; null for id 0 (no name) and for unknown ids. */
  wordOf(id: number): SafeText | null {
    return id === 0 ? null : (this.#words.get(id) ?? null)
  }

  sourceOf(id: number): SourceName | undefined {
    return this.#byId.get(id)
  }
}
