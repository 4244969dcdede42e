import Database from 'better-sqlite3'

/** Where the rows of some tables stand in a database file, byte by byte. */
export interface Cells {
  table: string
  from: number
  to: number
}

const tables = [
  'term',
  'metric',
  'metric_version',
  'placement',
  'dashboard',
  'custom_detector',
  'audit',
  'definition_digest',
]
const LEAF_PAGES = new Set([0x0d, 0x0a])

/** The cell area of every leaf page of the definitions and of the audit trail, without what is free in it. */
export function listCells(file: string): Cells[] {
  const database = new Database(file, { readonly: true })
  const pageSize = Number(database.pragma('page_size', { simple: true }))
  const bytes = database.serialize()
  const pages = database
    .prepare(
      `SELECT name, pageno FROM dbstat WHERE name IN (${tables.map(() => '?').join(', ')}) AND pagetype = 'leaf'`,
    )
    .all(...tables) as { name: string; pageno: number }[]
  database.close()
  return pages.flatMap(({ name, pageno }) => {
    const start = (pageno - 1) * pageSize
    const page = bytes.subarray(start, start + pageSize)
    // A page with free blocks between its cells is left out: what flips there is nobody's.
    if (!LEAF_PAGES.has(page.readUInt8(0)) || page.readUInt16BE(1) !== 0 || page.readUInt8(7) !== 0) return []
    return [{ table: name, from: start + page.readUInt16BE(5), to: start + pageSize }]
  })
}

export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** One bit of one byte of the cells, turned round. */
export function applyFlip(bytes: Buffer, cells: readonly Cells[], random: () => number) {
  const total = cells.reduce((sum, { from, to }) => sum + to - from, 0)
  let left = Math.floor(random() * total)
  for (const { table, from, to } of cells) {
    if (left < to - from) {
      const at = from + left
      return { table, at, value: bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)) }
    }
    left -= to - from
  }
  throw new RangeError('there are no cells')
}
