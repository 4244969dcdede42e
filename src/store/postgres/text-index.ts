import type { IndexedKind, Reader } from '../reader-writer.ts'
import { Database } from '../sqlite.ts'
import { textWeights } from '../text-search.ts'

/** The columns of each index, as the first migration of SQLite has them. */
const columns = {
  term: 'display_name, description, synonyms',
  metric: 'display_name, description, synonyms, dimensions',
} as const

const rowsOf = {
  term: `SELECT id, slug, display_name, description, synonyms, '[]' FROM term`,
  metric: 'SELECT id, slug, display_name, description, synonyms, allowed_dimensions FROM metric',
} as const

type Row = [id: number, slug: string, name: string, description: string, synonyms: string, dimensions: string]

const listWords = (json: string) => (JSON.parse(json) as string[]).join(' ')

/** The full-text indexes of terms and metrics, which PostgreSQL lacks, in the memory of this process. */
export class TextIndex {
  readonly #database = new Database(':memory:')

  constructor(reader: Pick<Reader, 'prepare'>) {
    for (const kind of ['term', 'metric'] as const) {
      this.#database.exec(`CREATE VIRTUAL TABLE ${kind}_text
        USING fts5 (${columns[kind]}, tokenize = "unicode61 remove_diacritics 2")`)
      const names = columns[kind].split(', ')
      const places = names.map(() => '?').join(', ')
      const insert = this.#database.prepare(`INSERT INTO ${kind}_text (rowid, ${columns[kind]}) VALUES (?, ${places})`)
      const rows = reader.prepare(rowsOf[kind]).raw().all() as Row[]
      for (const [id, slug, name, description, synonyms, dimensions] of rows) {
        const texts = [`${name} ${slug.replaceAll('-', ' ')}`, description, listWords(synonyms), listWords(dimensions)]
        insert.run(id, ...texts.slice(0, names.length))
      }
    }
  }

  /** The ids of what matches an FTS5 expression, with the rank of each. */
  rank(kind: IndexedKind, match: string): [id: number, rank: number][] {
    const found = this.#database.prepare(
      `SELECT rowid, bm25(${kind}_text, ${textWeights[kind]}) FROM ${kind}_text WHERE ${kind}_text MATCH ?`,
    )
    return found.raw().all(match) as [number, number][]
  }

  close(): void {
    this.#database.close()
  }
}
