import { toSafeText } from '../detectors/safe-text.ts'
import { markLogReset } from '../findings/log.store.ts'
import { foldSafe, internalText } from '../kernel/safe-text.ts'
import type { Writer } from '../store/store.ts'

const comboWords = ['detector_id', 'type_id', 'category_id', 'custom_key_id'] as const
type ComboSqlRow = Record<(typeof comboWords)[number] | 'id' | 'source_id' | 'severity' | 'status', number>

/** Masks the dictionary of names and merges names that become equal; returns the number of changed names. */
export function maskWords(writer: Writer, at: number): number {
  const words = writer.prepare('SELECT id, text FROM word ORDER BY id').all() as { id: number; text: string }[]
  // Prepared statements are shared between callers, so `pluck` here would change the rows of every other caller.
  const find = writer.prepare('SELECT id FROM word WHERE text = ?')
  const rename = writer.prepare('UPDATE word SET text = ?, folded = ? WHERE id = ?')
  const merged = new Map<number, number>()
  let changed = 0
  for (const { id, text } of words) {
    const safe = toSafeText(text, 'prose')
    if (safe === text) continue
    changed++
    const same = (find.get(safe) as { id: number } | undefined)?.id
    if (same === undefined) rename.run(safe, foldSafe(safe), id)
    else merged.set(id, same)
  }
  if (merged.size > 0) mergeWords(writer, merged, at)
  return changed
}

function mergeWords(writer: Writer, merged: ReadonlyMap<number, number>, at: number): void {
  mergeCombos(writer, merged)
  const replace = (table: string, column: string) => replaceIds(writer, table, column, merged)
  for (const column of ['kind_id', 'container_id', 'owner_id']) replace('asset', column)
  replace('asset', 'dataset_id')
  replace('asset', 'parent_container_id')
  replace('label_set_member', 'word_id')
  writer
    .prepare('DELETE FROM label_set_member WHERE word_id IN (SELECT value FROM json_each(?))')
    .run(internalText(JSON.stringify([...merged.keys()])))
  replace('asset_digest', 'detector_id')
  const remove = writer.prepare('DELETE FROM word WHERE id = ?')
  const removeDigests = writer.prepare('DELETE FROM asset_digest WHERE detector_id = ?')
  for (const id of merged.keys()) {
    removeDigests.run(id)
    remove.run(id)
  }
  // The change log refers to combinations that no longer exist.
  markLogReset(writer, at)
}

function mergeCombos(writer: Writer, words: ReadonlyMap<number, number>): void {
  const combos = writer.prepare('SELECT * FROM main.combo ORDER BY id').all() as ComboSqlRow[]
  const keyOf = (combo: ComboSqlRow) =>
    [combo.source_id, ...comboWords.map((column) => combo[column]), combo.severity, combo.status].join(' ')
  const isChanged = (combo: ComboSqlRow) => comboWords.some((column) => words.has(combo[column]))
  const known = new Map(combos.filter((combo) => !isChanged(combo)).map((combo) => [keyOf(combo), combo.id]))
  const rename = writer.prepare(
    'UPDATE main.combo SET detector_id = ?, type_id = ?, category_id = ?, custom_key_id = ? WHERE id = ?',
  )
  const merged = new Map<number, number>()
  for (const combo of combos.filter(isChanged)) {
    for (const column of comboWords) combo[column] = words.get(combo[column]) ?? combo[column]
    const same = known.get(keyOf(combo))
    if (same !== undefined) {
      merged.set(combo.id, same)
      continue
    }
    known.set(keyOf(combo), combo.id)
    rename.run(...comboWords.map((column) => combo[column]), combo.id)
  }
  if (merged.size === 0) return
  replaceIds(writer, 'finding', 'combo_id', merged)
  const add = writer.prepare(
    `UPDATE main.combo SET n = combo.n + other.n
     FROM main.combo AS other WHERE other.id = @from AND combo.id = @to`,
  )
  const remove = writer.prepare('DELETE FROM main.combo WHERE id = ?')
  for (const [from, to] of merged) {
    add.run({ from, to })
    remove.run(from)
  }
}

/** Replaces ids in one pass over the table. */
function replaceIds(writer: Writer, table: string, column: string, ids: ReadonlyMap<number, number>): void {
  writer
    .prepare(
      `WITH other (id, new) AS MATERIALIZED
         (SELECT value ->> 0, value ->> 1 FROM json_each(@pairs))
       UPDATE OR IGNORE main.${table} SET ${column} = other.new FROM other WHERE ${table}.${column} = other.id`,
    )
    .run({ pairs: internalText(JSON.stringify([...ids])) })
}
