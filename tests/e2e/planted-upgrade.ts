import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { runAssay, serveAssay } from '../support/assay.ts'
import { MarkedPlantings } from '../support/marked-plantings.ts'
import { makeEarlierFolder } from '../upgrade/earlier-folder.ts'
import { connectHttp } from './estate.ts'
import { runCommands } from './planted-commands.ts'
import { readEverything } from './planted-doors.ts'

type Row = Record<string, unknown>
/** Gives a text to plant in a column; `typed` is what people wrote or what leads somewhere, in which only credentials are hidden. */
type Take = (column: string, typed?: 'typed') => string

/** For each table, the columns of the n-th row that is planted; the rest is as in a row that is there. */
const planted: Readonly<Record<string, (take: Take, n: number) => Row>> = {
  source: (take, n) => ({
    ...{ id: null, uid: `planted ${n}`, name: `${take('name', 'typed')} ${n}`, tenant_id: take('tenant_id', 'typed') },
    config: JSON.stringify({ type: 'WIKI', note: take('config', 'typed'), [take('config, a member', 'typed')]: 1 }),
  }),
  scan: (take, n) => ({
    ...{ id: null, uid: `planted ${n}`, requested_by: take('requested_by'), reason: take('reason') },
    failures: JSON.stringify([{ code: take('failures.code'), message: take('failures.message') }]),
    warnings: JSON.stringify([{ code: 'x', message: take('warnings.message'), scope: take('warnings.scope') }]),
    notebook: take('notebook', 'typed'),
  }),
  scan_scope: (take, n) => ({
    ...{ scan_id: 1, key: `${take('key', 'typed')} ${n}`, name: take('name'), reason: take('reason') },
    cursor: take('cursor', 'typed'),
  }),
  asset: (take, n) => ({
    ...{ id: null, uid: `planted ${n}`, key: `${take('key', 'typed')} ${n}`, scope_key: take('scope_key', 'typed') },
    ...{ name: take('name'), url: `https://x.example/${encodeURIComponent(take('url', 'typed'))}` },
    ...{ owner: take('owner'), checksum: take('checksum', 'typed') },
    facts: JSON.stringify({ labels: [take('facts')], [take('facts, a member')]: 1 }),
  }),
  asset_link: (take, n) => ({
    ...{ ordinal: n + 10, target_key: take('target_key', 'typed'), url: take('url', 'typed'), label: take('label') },
    detail: JSON.stringify({ path: take('detail.path'), reference: { kind: 'x', name: take('detail.reference') } }),
  }),
  finding: (take, n) => ({
    ...{ fp: n + 1000, id: n + 1000, excerpt: take('excerpt') },
    location: JSON.stringify({ path: take('location.path'), line: 1 }),
  }),
  status_change: (take, n) => ({ seq: n + 10, actor: take('actor'), reason: take('reason', 'typed'), scan_id: null }),
  link_check: (take, n) => ({
    url: `https://x.example/${n}/${take('url', 'typed')}`,
    verdict: JSON.stringify({ said: take('verdict') }),
  }),
  suppression: (take) => ({
    ...{ id: null, reason: take('reason', 'typed'), created_by: take('created_by') },
    filters: JSON.stringify({ containers: [take('filters', 'typed')] }),
    patterns: JSON.stringify([{ field: 'name', pattern: take('patterns', 'typed') }]),
  }),
  access_token: (take, n) => ({
    ...{ id: `planted ${n}`, name: take('name', 'typed'), created_by: take('created_by') },
    digest: Buffer.alloc(32, n),
  }),
  custom_detector: (take, n) => ({
    ...{ id: null, uid: `planted ${n}`, key: `planted-${n}`, display_name: `${take('display_name', 'typed')} ${n}` },
    ...{ description: take('description', 'typed') },
    definition: JSON.stringify({
      rule: { any: [{ type: 'KEYWORDS', keywords: [take('definition', 'typed')] }] },
      examples: { match: ['x'], noMatch: ['y'] },
    }),
  }),
  term: (take, n) => ({
    ...{ id: null, uid: `planted ${n}`, slug: `planted-${n}`, display_name: `${take('display_name', 'typed')} ${n}` },
    ...{ description: take('description', 'typed'), category: take('category', 'typed'), icon: take('icon', 'typed') },
    filter_mapping: JSON.stringify({ containers: [take('filter_mapping', 'typed')] }),
    synonyms: JSON.stringify([`${take('synonyms', 'typed')} ${n}`]),
  }),
  metric: (take, n) => ({
    ...{ id: null, uid: `planted ${n}`, slug: `planted-${n}`, display_name: `${take('display_name', 'typed')} ${n}` },
    ...{ description: take('description', 'typed'), unit: take('unit', 'typed'), owner: take('owner', 'typed') },
    ...{ certified_by: take('certified_by'), deprecated_by: take('deprecated_by') },
    deprecation_reason: take('deprecation_reason', 'typed'),
    synonyms: JSON.stringify([`${take('synonyms', 'typed')} ${n}`]),
    definition: JSON.stringify({
      ...{ aggregation: 'COUNT', entity: 'finding', filters: { containers: [take('definition', 'typed')] } },
    }),
  }),
  metric_version: (take, n) => ({
    ...{ version: n + 10, actor: take('actor') },
    snapshot: JSON.stringify({ note: take('snapshot', 'typed'), [take('snapshot, a member', 'typed')]: 1 }),
  }),
  dashboard: (take, n) => ({ id: null, name: `${take('name', 'typed')} ${n}` }),
  definition_digest: (take, n) => ({ name: `${take('name', 'typed')} ${n}`, digest: String(n) }),
  audit: (take) => ({
    ...{ seq: null, actor: take('actor'), name: take('name', 'typed'), actor_id: take('actor_id', 'typed') },
    before: JSON.stringify({ note: take('before', 'typed') }),
    after: JSON.stringify({ note: take('after', 'typed') }),
  }),
}
const wordColumns = ['detector_id', 'type_id', 'category_id', 'custom_key_id']

/** Plants `rows` rows in each table of a database of version 0.1.0. */
function plantRows(file: string, rows: number, plantings: MarkedPlantings): void {
  const database = new Database(file)
  database.pragma('foreign_keys = OFF')
  const insert = (table: string, row: Row) => {
    const names = Object.keys(row)
    const places = names.map((name) => `@${name}`).join(', ')
    const columns = names.map((name) => `"${name}"`).join(', ')
    return database.prepare(`INSERT INTO "${table}" (${columns}) VALUES (${places})`).run(row).lastInsertRowid
  }
  const isThere = database.prepare('SELECT id FROM word WHERE text = ?').pluck()
  const word = (text: string) => isThere.get(text) ?? insert('word', { text })
  const takeFor =
    (table: string): Take =>
    (column, typed) =>
      plantings.take(`${table}.${column}`, { credentialsOnly: typed !== undefined })
  database.transaction(() => {
    for (const [table, plant] of Object.entries(planted)) {
      const last = database.prepare(`SELECT * FROM "${table}" LIMIT 1`)
      const template = (table === 'definition_digest' ? { kind: 'placement' } : (last.get() ?? {})) as Row
      const take = takeFor(table)
      for (let n = 0; n < rows; n++) {
        const row: Row = { ...template, ...plant(take, n) }
        if (table === 'asset') {
          row.kind_id = word(take('kind'))
          row.container_id = word(take('container'))
        }
        if (table === 'finding') {
          const combo = database.prepare('SELECT * FROM combo LIMIT 1').get() as Row
          const words = Object.fromEntries(wordColumns.map((column) => [column, word(take(column))]))
          row.combo_id = insert('combo', { ...combo, ...words, id: null, n: 1 })
        }
        insert(table, row)
      }
    }
    for (let n = 0; n < rows; n++) {
      const pinned = JSON.stringify({ containers: [takeFor('placement')('pinned_filters', 'typed')] })
      const { id } = database.prepare('SELECT id FROM dashboard ORDER BY id DESC LIMIT 1 OFFSET ?').get(n) as Row
      const template = database.prepare('SELECT * FROM placement LIMIT 1').get() as Row
      insert('placement', { ...template, dashboard_id: id, pinned_filters: pinned })
    }
  })()
  database.close()
}

/** Texts that are stored in no table are ours: words of closed lists, ids and digests. */
const own = new Set([
  ...['asset.uid', 'asset.detectors_hash', 'asset.status', 'asset_link.type', 'metric.type', 'metric.format'],
  ...['metric.allowed_dimensions', 'metric.status', 'metric.slug', 'metric.uid', 'metric.color', 'metric.empty_as'],
  ...['metric.certified_via', 'metric.certified_digest', 'metric.replaced_by', 'metric_version.via', 'term.uid'],
  ...['term.slug', 'term.color', 'placement.size', 'placement.chart_type', 'scan_scope.state', 'scan.uid'],
  ...[
    'scan.status',
    'scan.owner',
    'scan.estate_step',
    'scan.trigger',
    'scan.config_hash',
    'scan.detectors_hash',
    'source.uid',
    'source.type',
  ],
  ...['source.secrets', 'access_token.id', 'access_token.scopes', 'custom_detector.uid', 'custom_detector.key'],
  ...['audit.via', 'audit.action', 'audit.kind', 'definition_digest.kind', 'definition_digest.digest'],
])

/** Columns with texts that nothing is planted in. */
export function listForgottenColumns(file: string, plantings: MarkedPlantings): string[] {
  const database = new Database(file, { readonly: true })
  const fields = plantings.listFields()
  try {
    return Object.keys(planted).flatMap((table) =>
      (database.prepare(`SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'`).pluck().all(table) as string[])
        .map((column) => `${table}.${column}`)
        .filter((column) => !own.has(column) && !fields.some((field) => field.startsWith(column))),
    )
  } finally {
    database.close()
  }
}

/** Plants in every text of a database of version 0.1.0, opens it with this version and looks for it wherever it may come out. */
export async function findPlantedInUpgraded(rows: number, every: number) {
  const root = mkdtempSync(join(tmpdir(), 'assay-upgraded-'))
  const plantings = new MarkedPlantings()
  const leaks = new Set<string>()
  const note = (where: string, text: string) => {
    for (const found of plantings.find(text)) leaks.add(`${where}: ${found}`)
  }
  try {
    const { home } = makeEarlierFolder(root)
    plantRows(join(home, 'assay.db'), rows, plantings)
    const forgotten = listForgottenColumns(join(home, 'assay.db'), plantings)
    const before = plantings.find(readFileSync(join(home, 'assay.db')).toString()).length
    const assay = async (...args: string[]) => {
      const { stdout, stderr } = await runAssay(args, { home, env: { ASSAY_LOG_LEVEL: 'debug' } })
      note(`assay ${args[0]}`, stdout + stderr)
    }
    await assay('token', 'list')
    const readFiles = () => {
      for (const each of readdirSync(home, { recursive: true, withFileTypes: true })) {
        // What was copied before the migration is as it was, and the log says so.
        if (each.isFile() && !each.name.endsWith('-schema-70.db'))
          note(each.name, readFileSync(join(each.parentPath, each.name)).toString())
      }
    }
    readFiles()
    // Where there are tokens, each request needs one.
    const database = new Database(join(home, 'assay.db'))
    database.exec('DELETE FROM access_token')
    database.close()
    const server = await serveAssay(home, ['--no-background', '--log-level', 'debug'])
    server.child.stderr?.on('data', (text) => note('the log', String(text)))
    const client = await connectHttp(server.url)
    let count = { findings: 0, assets: 0 }
    try {
      count = await readEverything({ url: server.url, client, note }, every)
    } finally {
      await client.close()
      await server.stop()
    }
    const commands = [['backup', join(home, 'copy.db')], ['export', '--dir', join(home, 'exported')], ['doctor']]
    await runCommands(commands, home, note)
    readFiles()
    return { leaks: [...leaks], before, forgotten, uncovered: plantings.listUncovered(), ...plantings.counts, ...count }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
