import { hash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createNumberer } from '../../src/detectors/fingerprint.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { migrate } from '../../src/store/migrate.ts'
import { listMigrations } from '../../src/store/migrations.ts'
import { Store } from '../../src/store/store.ts'

/** The newest schema of version 0.1.0. */
const SCHEMA = 70
const AT = Date.UTC(2025, 5, 1)
export const CARD = '4539 1488 0343 6467'

export interface EarlierFolder {
  home: string
  /** Every credential that stands in it. */
  planted: string[]
  /** The file that was imported into it. */
  lines: Record<string, unknown>[]
}

/** A data folder of version 0.1.0, into which credentials came by every way there was. */
export function makeEarlierFolder(root: string, more = 0): EarlierFolder {
  const home = mkdtempSync(join(root, 'home-'))
  const planted: string[] = []
  const plant = () => {
    const digest = hash('sha256', `planted ${planted.length}`, 'base64').replace(/[^\w]/g, '')
    const token = `ghp_${digest.slice(0, 36).padEnd(36, '7')}`
    planted.push(token)
    return token
  }
  const { rows, identify } = makeKey(root, home)
  const database = new Database(join(home, 'assay.db'))
  database.pragma('page_size = 8192')
  database.pragma('journal_mode = WAL')
  const migrations = listMigrations().filter(({ number }) => number <= SCHEMA)
  migrate(database, () => AT, migrations)
  const insert = (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row)
    const places = names.map((name) => `@${name}`).join(', ')
    const quoted = names.map((name) => `"${name}"`).join(', ')
    return Number(database.prepare(`INSERT INTO ${table} (${quoted}) VALUES (${places})`).run(row).lastInsertRowid)
  }
  const word = (text: string) =>
    text === ''
      ? 0
      : ((database.prepare('SELECT id FROM word WHERE text = ?').pluck().get(text) as number | undefined) ??
        insert('word', { text }))
  const lines: Record<string, unknown>[] = []
  database.transaction(() => {
    for (const { table, row } of rows) insert(table, row)
    const source = (name: string, type: string) =>
      insert('source', {
        uid: `source ${type}`,
        name,
        type,
        config: JSON.stringify({ type, note: type === 'WIKI' ? plant() : '' }),
        created_at: AT,
        updated_at: AT,
      })
    const scanner = source('scanner', 'IMPORT')
    const wiki = source(`wiki ${plant()}`, 'WIKI')
    let finding = 0
    const addFinding = (assetId: number, fp: number, sourceId: number, facets: string[], row: object = {}) => {
      const ids = facets.map(word)
      const combo = { source_id: sourceId, severity: 4, status: 0 }
      const [detector_id, type_id, category_id, custom_key_id] = ids
      const key = { ...combo, detector_id, type_id, category_id, custom_key_id }
      const found = database
        .prepare(
          `SELECT id FROM combo WHERE source_id = @source_id AND detector_id = @detector_id AND type_id = @type_id
             AND category_id = @category_id AND custom_key_id = @custom_key_id`,
        )
        .pluck()
        .get(key) as number | undefined
      const comboId = found ?? insert('combo', key)
      database.prepare('UPDATE combo SET n = n + 1 WHERE id = ?').run(comboId)
      const id = ++finding
      insert('finding', {
        asset_id: assetId,
        fp,
        id,
        combo_id: comboId,
        first_detected_at: AT,
        conf_q: 10_000,
        last_detected_at: AT,
        ...row,
      })
      return id
    }
    const addAsset = (sourceId: number, uid: string, row: Record<string, unknown>) =>
      insert('asset', {
        uid,
        source_id: sourceId,
        kind_id: word('repo.file'),
        status: 'ACTIVE',
        first_seen_at: AT,
        last_seen_at: AT,
        last_scanned_at: AT,
        ...row,
      })
    // Keys, types and containers that are masked alike; the last key comes twice.
    for (let number = 0; number < 6 + more; number++) {
      const isPlanted = number < 6
      const key = isPlanted ? `repo:${plant()}/a.ts` : `repo:${number}`
      const name = isPlanted ? `File ${plant()} ${CARD}` : `File ${number}`
      const container = isPlanted ? `Space ${plant()}` : 'Space'
      const facets = isPlanted ? ['YARA', `TYPE ${plant()}`, `CAT ${CARD}`, ''] : ['YARA', 'TYPE', '', '']
      const assetId = addAsset(scanner, `asset ${number}`, {
        key,
        name,
        url: `https://code.example/${number}${isPlanted ? `?token=${plant()}` : ''}`,
        container_id: word(container),
      })
      for (const fingerprint of ['1', '2']) {
        const fp = identify(JSON.stringify(['import', key, 'YARA', fingerprint]))
        addFinding(assetId, fp, scanner, facets, { excerpt: `found in ${number}` })
        lines.push({
          asset: {
            key,
            kind: 'repo.file',
            name,
            url: `https://code.example/${number}${isPlanted ? `?token=${planted.at(-1)}` : ''}`,
            container,
          },
          detectorType: 'YARA',
          findingType: facets[1],
          category: facets[2],
          severity: 'HIGH',
          firstDetectedAt: new Date(AT).toISOString(),
          excerpt: `found in ${number}`,
          fingerprint,
        })
      }
    }
    const page = addAsset(wiki, 'page', {
      key: 'page:1',
      scope_key: `space ${plant()}`,
      name: `Page ${plant().slice(0, 7)}\u200b${planted.at(-1)?.slice(7)}`,
      url: 'https://wiki.example/1',
      owner: `Owner ${plant()}`,
      checksum: plant(),
      facts: JSON.stringify({ labels: [plant()], password: 'hunter2-is-kept' }),
      container_id: word(`Wiki ${plant()} ${CARD}`),
    })
    insert('asset_link', {
      asset_id: page,
      ordinal: 0,
      type: 'links_to',
      target_key: `page:${plant()}`,
      url: `https://x.example/?access_token=${plant()}`,
      label: `Label ${plant()} ${CARD}`,
      detail: JSON.stringify({ path: plant(), line: 1, reference: { kind: 'wiki.page', name: plant() } }),
    })
    const found = addFinding(page, 7, wiki, ['SECRETS', 'TOKEN', '', plant()], {
      location: JSON.stringify({ path: `body ${plant()}`, line: 1 }),
      excerpt: `excerpt ${plant()} ${CARD}`,
    })
    const change = { finding_id: found, at: AT, from_status: 0, to_status: 0 }
    insert('status_change', { ...change, seq: 1, actor: plant(), reason: plant() })
    insert('status_change', { ...change, seq: 2, actor: 'scan', reason: `now ${plant()} ${CARD}`, scan_id: 1 })
    const note = () => JSON.stringify([{ code: plant(), message: `${plant()} ${CARD}`, scope: plant() }])
    insert('scan', {
      uid: 'scan',
      source_id: wiki,
      status: 'COMPLETED',
      trigger: 'MANUAL',
      requested_by: plant(),
      config_hash: '',
      detectors_hash: '',
      created_at: AT,
      reason: plant(),
      failures: note(),
      warnings: note(),
      notebook: plant(),
    })
    insert('scan_scope', { scan_id: 1, key: plant(), name: `${plant()} ${CARD}`, state: 'COMPLETE', cursor: plant() })
    insert('link_check', {
      url: `https://${plant()}.example/`,
      verdict: JSON.stringify({ said: plant() }),
      checked_at: AT,
      expires_at: AT,
    })
    insert('suppression', {
      filters: JSON.stringify({ containers: [plant()] }),
      patterns: JSON.stringify([{ field: 'name', pattern: plant() }]),
      status: 2,
      reason: plant(),
      created_by: plant(),
      created_at: AT,
    })
    insert('access_token', {
      id: 't',
      name: plant(),
      scopes: '',
      digest: Buffer.alloc(32),
      created_by: plant(),
      created_at: AT,
      expires_at: AT,
    })
    insert('custom_detector', {
      uid: 'c',
      key: 'c',
      display_name: plant(),
      description: plant(),
      enabled: 0,
      definition: JSON.stringify({ note: plant() }),
      created_at: AT,
      updated_at: AT,
    })
    database
      .prepare(`UPDATE term SET description = ?, synonyms = ? WHERE slug = 'pii-exposure'`)
      .run(plant(), JSON.stringify([plant()]))
    database
      .prepare(`UPDATE metric SET description = ?, owner = ?, unit = ? WHERE slug = 'total-findings'`)
      .run(plant(), plant(), plant())
    database
      .prepare('UPDATE metric_version SET actor = ?, snapshot = ? WHERE metric_id = 1')
      .run(plant(), JSON.stringify({ note: plant() }))
    database.prepare('UPDATE dashboard SET name = ?').run(plant())
    insert('audit', {
      at: AT,
      actor: plant(),
      via: 'cli',
      action: 'update',
      kind: 'source',
      name: plant(),
      before: JSON.stringify({ note: plant() }),
      after: JSON.stringify({ note: plant() }),
    })
  })()
  // What was removed stays in free parts of the file.
  database.pragma('secure_delete = OFF')
  const gone = { verdict: JSON.stringify({ said: plant().repeat(300) }), checked_at: AT, expires_at: AT }
  insert('link_check', { url: 'https://gone.example/', ...gone })
  database.exec("DELETE FROM link_check WHERE url = 'https://gone.example/'")
  database.close()
  return { home, planted, lines }
}

/** A key for the folder, and the rows that go with it. */
function makeKey(root: string, home: string) {
  const other = mkdtempSync(join(root, 'key-'))
  mkdirSync(home, { recursive: true })
  const store = Store.open(join(other, 'assay.db'), { now: () => AT })
  const vault = openVault({ store, home: other, env: {}, now: () => AT })
  const rowsOf = (table: string, where: string) =>
    store.read((reader) => reader.prepare(`SELECT * FROM ${table} WHERE ${where}`).all()) as Record<string, unknown>[]
  const rows = [
    ...rowsOf('install', "name IN ('id', 'key_check')").map((row) => ({ table: 'install', row })),
    ...rowsOf('data_key', '1').map((row) => ({ table: 'data_key', row })),
  ]
  const identify = createNumberer(vault.fingerprintKey())
  store.close()
  copyFileSync(join(other, 'assay.key'), join(home, 'assay.key'))
  rmSync(other, { recursive: true })
  return { rows, identify }
}
