import Database from 'better-sqlite3'
import { defineFoldCase } from '../../src/store/migrations.ts'

const AT = Date.UTC(2026, 0, 1)
const json = JSON.stringify

type Row = Record<string, string | number | Buffer | null>

/** Adds rows to most tables of a new database, `more` of them assets with two findings each. */
export function fillDatabase(file: string, more = 0): void {
  const database = new Database(file)
  defineFoldCase(database)
  const insert = (table: string, row: Row) => {
    const names = Object.keys(row)
    const columns = names.map((name) => `"${name}"`).join(', ')
    const places = names.map((name) => `@${name}`).join(', ')
    return Number(database.prepare(`INSERT INTO ${table} (${columns}) VALUES (${places})`).run(row).lastInsertRowid)
  }
  const find = database.prepare('SELECT id FROM word WHERE text = ?').pluck()
  const word = (text: string) =>
    (find.get(text) as number | undefined) ?? insert('word', { text, folded: text.toLowerCase() })
  const addSource = (name: string, type: string) =>
    insert('source', { uid: name, name, type, config: json({ type }), created_at: AT, updated_at: AT })
  const addAsset = (sourceId: number, key: string, row: Row) =>
    insert('asset', {
      ...{ uid: key, source_id: sourceId, key, kind_id: word('repo.file'), status: 'ACTIVE' },
      ...{ first_seen_at: AT, last_seen_at: AT, last_scanned_at: AT, ...row },
    })
  let finding = 0
  const addFinding = (assetId: number, comboId: number, row: Row = {}) => {
    const times = { first_detected_at: AT, last_detected_at: AT }
    finding += 1
    const named = { asset_id: assetId, fp: 2 ** 46 + finding, id: finding, combo_id: comboId, conf_q: 9_000 }
    insert('finding', { ...named, ...times, ...row })
    database.prepare('UPDATE combo SET n = n + 1 WHERE id = ?').run(comboId)
    return finding
  }
  const addCombo = (sourceId: number, detector: string, type: string) =>
    insert('combo', {
      ...{ source_id: sourceId, detector_id: word(detector), type_id: word(type), category_id: word('Daten') },
      ...{ custom_key_id: 0, severity: 4, status: 0 },
    })

  database.transaction(() => {
    const scanner = addSource('scanner', 'IMPORT')
    const wiki = addSource('Wiki', 'WIKI')
    const combo = addCombo(scanner, 'YARA', 'TYPE')
    for (let number = 0; number < 6 + more; number++) {
      const container = { container_id: word(`Space ${number % 3}`), name: `Datei „${number}“` }
      const asset = addAsset(scanner, `repo:${number}`, { ...container, url: `https://code.example/${number}` })
      for (const line of [1, 2]) addFinding(asset, combo, { excerpt: `found in ${number}, ${line}` })
    }
    const scan = insert('scan', {
      ...{ uid: 'scan', source_id: wiki, status: 'COMPLETED', trigger: 'MANUAL', requested_by: 'me' },
      ...{ config_hash: '', detectors_hash: '', created_at: AT, failures: json([{ code: 'x', message: 'y' }]) },
    })
    insert('scan_scope', { scan_id: scan, key: 'ENG', name: 'Engineering', state: 'COMPLETE', cursor: 'c' })
    insert('reading', { source_id: wiki, key: 'ENG', mark: 'm', read_at: AT, checked_at: AT })
    const labels = insert('label_set', { words: json([word('urgent')]) })
    insert('label_set_member', { set_id: labels, word_id: word('urgent') })
    const facets = { owner_id: word('Ann'), labels_id: labels, container_id: word('Engineering') }
    const page = addAsset(wiki, 'page:1', { ...facets, scope_key: 'ENG', name: 'Page', facts: json({ version: 1 }) })
    insert('asset_link', {
      asset_id: page,
      ordinal: 0,
      type: 'links_to',
      target_key: 'page:2',
      detail: json({ line: 1 }),
    })
    insert('asset_digest', {
      asset_id: page,
      detector_id: word('DUPLICATE'),
      whole: 1,
      data: Buffer.from([0, 255, 10]),
    })
    insert('unread_section', { asset_id: page, section: 'comments', reason: 'denied', was_read: 0, scan_id: scan })
    const found = addFinding(page, addCombo(wiki, 'SECRETS', 'TOKEN'), {
      location: json({ line: 1 }),
      value_fp: 2 ** 46,
    })
    const change = { finding_id: found, at: AT, from_status: 0, to_status: 0, actor: 'me' }
    insert('status_change', { ...change, seq: 1, reason: 'a\nb\t\\', via: 'cli' })
    insert('status_change', { ...change, seq: 2, scan_id: scan })
    insert('link_check', { url: 'https://x.example/', verdict: json({ ok: true }), checked_at: AT, expires_at: AT })
    const decided = { status: 2, reason: 'test data', created_by: 'me', created_at: AT }
    insert('suppression', { ...decided, filters: json({ containers: ['Engineering'] }), patterns: '[]' })
    const token = { id: 't', name: 'ci', scopes: 'read', digest: Buffer.alloc(32, 1), created_by: 'me' }
    insert('access_token', { ...token, created_at: AT, expires_at: AT })
    const written = { display_name: 'Names', description: '', definition: json({ rule: {} }) }
    insert('custom_detector', { ...written, uid: 'c', key: 'names', enabled: 0, created_at: AT, updated_at: AT })
    insert('facet_log', { at: AT, n: 1, delta: Buffer.from([1, 2, 3]) })
    insert('import_file', { uid: 'waiting', created_at: AT, accepted: 0 })
  })()
  database.close()
}
