import { createReadStream, existsSync, renameSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import Database from 'better-sqlite3'
import {
  categories,
  containerName,
  detectors,
  type Filled,
  NOW,
  START,
  severities,
  sourceName,
  statuses,
  typeName,
} from './estate.ts'
import type { Dialect } from './questions.ts'

const iso = (instant: number) => new Date(instant).toISOString()
const HOUR = 3_600_000

/** When the months of Berlin begin that the data lies in: at UTC+2 from April to October, else at UTC+1. */
function listBerlinMonths(): number[] {
  const starts: number[] = []
  const first = new Date(START)
  for (let month = 0; starts.at(-1) === undefined || (starts.at(-1) ?? 0) < NOW; month++) {
    const local = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + month, 1))
    const isSummer = local.getUTCMonth() >= 3 && local.getUTCMonth() <= 9
    starts.push(local.getTime() - (isSummer ? 2 : 1) * HOUR)
  }
  return starts
}

function toMonths(): string {
  const starts = listBerlinMonths()
  const spans = starts.slice(0, -1).map((start, index) => {
    const end = starts[index + 1] ?? NOW
    return `('${iso(Math.max(START, start))}', '${iso(Math.min(NOW, end))}')`
  })
  return `WITH month(since, until) AS (VALUES ${spans.join(', ')})
    SELECT since, count(*) FROM month JOIN finding ON t >= since AND t < until GROUP BY 1`
}

/** Texts for instants as an ORM stores them, and so for days and hours. */
export const ormDialect: Dialect = {
  table: 'finding',
  at: (instant) => `'${iso(instant)}'`,
  toShare: (expression) => expression,
  day: `strftime('%Y-%m-%d', t)`,
  hour: `strftime('%Y-%m-%d %H', t)`,
  byBerlinMonth: toMonths(),
}

export interface OrmDatabase {
  ask(sql: string): unknown[][]
  close(): void
}

/**
 * Opens SQLite as an ORM uses it: a rowid table with texts for ids, names and instants, and an index for each filter.
 */
export async function openOrm(file: string, { findingFile }: Filled): Promise<OrmDatabase> {
  if (!existsSync(file)) {
    await load(`${file}.new`, findingFile)
    renameSync(`${file}.new`, file)
  }
  const database = new Database(file)
  database.pragma('cache_size = -131072')
  return {
    ask: (sql) => database.prepare(sql).raw().all() as unknown[][],
    close: () => database.close(),
  }
}

async function load(file: string, findingFile: string): Promise<void> {
  rmSync(file, { force: true })
  const database = new Database(file)
  database.pragma('journal_mode = OFF')
  database.pragma('synchronous = OFF')
  database.exec(
    `CREATE TABLE finding (id TEXT PRIMARY KEY, t TEXT NOT NULL, conf REAL NOT NULL, asset TEXT NOT NULL, source TEXT NOT NULL,
       detector TEXT NOT NULL, ftype TEXT NOT NULL, category TEXT NOT NULL, severity TEXT NOT NULL, status TEXT NOT NULL,
       container TEXT NOT NULL)`,
  )
  const insert = database.prepare('INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
  const assetIds = new Map<string, string>()
  database.exec('BEGIN')
  for await (const line of createInterface({ input: createReadStream(findingFile) })) {
    const [t, conf, asset = '', source, detector, type, category, severity, status, container] = line.split(',')
    const assetId = assetIds.get(asset) ?? crypto.randomUUID()
    assetIds.set(asset, assetId)
    insert.run(
      crypto.randomUUID(),
      iso(Number(t)),
      Number(conf) / 10_000,
      assetId,
      sourceName(Number(source)),
      detectors[Number(detector)],
      typeName(Number(type)),
      categories[Number(category)],
      severities[Number(severity) - 1],
      statuses[Number(status)],
      containerName(Number(container)),
    )
  }
  database.exec('COMMIT')
  for (const column of ['t', 'asset', 'source', 'detector', 'severity', 'status']) {
    database.exec(`CREATE INDEX finding_${column} ON finding (${column})`)
  }
  database.close()
}
