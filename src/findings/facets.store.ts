import type { Severity } from '../detectors/detector.ts'
import { foldSafe, internalText, type SafeText } from '../kernel/safe-text.ts'
import { IN_NUMBERS } from '../store/builder.ts'
import { presenceCodes, severityCodes, statusCodes } from '../store/schema.ts'
import type { RowStatement, Writer, WriteStatement } from '../store/store.ts'
import type { FindingStatus, Presence } from './model.ts'

/** The values by which a finding is counted. */
export interface Facets {
  sourceId: number
  detectorType: SafeText
  findingType: SafeText
  category: SafeText
  /** '' if no custom detector found it. */
  customDetectorKey: SafeText
  severity: Severity
  status: FindingStatus
  presence: Presence
}

const severityNames = new Map<number, Severity>(
  Object.entries(severityCodes).map(([name, code]) => [code, name as Severity]),
)
const statusNames = new Map<number, FindingStatus>(
  Object.entries(statusCodes).map(([name, code]) => [code, name as FindingStatus]),
)
const presenceNames = new Map<number, Presence>(
  Object.entries(presenceCodes).map(([name, code]) => [code, name as Presence]),
)

export const toSeverity = (code: number): Severity => severityNames.get(code) ?? 'INFO'
export const toStatus = (code: number): FindingStatus => statusNames.get(code) ?? 'OPEN'
export const toPresence = (code: number): Presence => presenceNames.get(code) ?? 'unknown'

/** The dictionaries of names and facet combinations, cached for one transaction. */
export interface FacetDictionary {
  wordId(text: SafeText): number
  /** The id of a set of words in any order; 0 for none. */
  wordSetId(texts: readonly SafeText[]): number
  comboId(facets: Facets): number
  facetsOf(comboId: number): Facets
  /** Reads or adds the combinations of several facets at once, for later calls of `comboId`. */
  learn(facets: Iterable<Facets>): void
  /** Reads or adds several words at once, for later calls of `wordId`. */
  learnWords(texts: Iterable<SafeText>): void
  /** Reads several combinations at once. */
  readAhead(comboIds: Iterable<number>): void
}

interface ComboSqlRow {
  id: number
  source_id: number
  detector_id: number
  type_id: number
  category_id: number
  custom_key_id: number
  detector: SafeText
  type: SafeText
  category: SafeText
  custom_key: SafeText
  severity: number
  status: number
  presence: number
}

export function openFacets(writer: Writer): FacetDictionary {
  const words = new Map<string, number>([['', 0]])
  const sets = new Map<string, number>()
  const combos = new Map<string, number>()
  const facets = new Map<number, Facets>()
  /** `insert` returns undefined where another transaction has inserted the row since it was looked for. */
  const findOrInsert = (find: string, key: readonly SafeText[], insert: () => number | undefined): number => {
    const select = writer.prepare(find).pluck()
    return ((select.get(...key) as number | undefined) ?? insert() ?? select.get(...key)) as number
  }
  const wordId = (text: SafeText): number => {
    const known = words.get(text)
    if (known !== undefined) return known
    const id = findOrInsert(findWord.sql, [text], () => writer.prepare(insertWord.sql).insert(text, foldSafe(text)))
    words.set(text, id)
    return id
  }
  const wordSetId = (texts: readonly SafeText[]): number => {
    const ids = [...new Set(texts.filter((text) => text !== '').map(wordId))].sort((a, b) => a - b)
    if (ids.length === 0) return 0
    const key = internalText(JSON.stringify(ids))
    const known = sets.get(key)
    if (known !== undefined) return known
    const id = findOrInsert(findSet, [key], () => {
      const inserted = writer.prepare(insertSet).insert(key)
      if (inserted === undefined) return undefined
      for (const word of ids) {
        writer.prepare('INSERT INTO label_set_member (set_id, word_id) VALUES (?, ?)').run(inserted, word)
      }
      return inserted
    })
    sets.set(key, id)
    return id
  }
  const comboId = (wanted: Facets): number => {
    const key = toComboKey(wanted)
    const known = combos.get(key)
    if (known !== undefined) return known
    learn([wanted])
    return combos.get(key) as number
  }
  const toComboValues = ({ sourceId, detectorType, findingType, category, customDetectorKey, ...rest }: Facets) => [
    sourceId,
    wordId(detectorType),
    wordId(findingType),
    wordId(category),
    wordId(customDetectorKey),
    severityCodes[rest.severity],
    statusCodes[rest.status],
    presenceCodes[rest.presence],
  ]
  const learn = (wanted: Iterable<Facets>) => {
    const unknown = new Map<string, Facets>()
    for (const each of wanted) {
      const key = toComboKey(each)
      if (!combos.has(key)) unknown.set(key, each)
    }
    if (unknown.size === 0) return
    const all = [...unknown.values()]
    learnWords(all.flatMap((each) => [each.detectorType, each.findingType, each.category, each.customDetectorKey]))
    const values = all.map(toComboValues)
    const found = writer.firstOfEach<[number]>(findCombo, values)
    const missing = values.filter((_, index) => found[index] === undefined)
    for (const row of missing) writer.runRow(insertCombo, row)
    const inserted = writer.firstOfEach<[number]>(findCombo, missing).values()
    for (const [index, [key, each]] of [...unknown].entries()) {
      const [id] = (found[index] ?? inserted.next().value) as [number]
      combos.set(key, id)
      facets.set(id, each)
    }
  }
  const learnWords = (texts: Iterable<SafeText>) => {
    const unknown = [...new Set(texts).difference(words)]
    const found = writer.firstOfEach<[number]>(
      findWord,
      unknown.map((text) => [text]),
    )
    const missing = unknown.filter((_, index) => found[index] === undefined)
    const ids = writer.insertRows(
      insertWord,
      missing.map((text) => [text, foldSafe(text)]),
    )
    const inserted = new Map(missing.map((text, index) => [text, ids[index]]))
    // Another transaction may have inserted a word meanwhile; it is found when it is needed.
    for (const [index, text] of unknown.entries()) {
      const id = found[index]?.[0] ?? inserted.get(text)
      if (id !== undefined) words.set(text, id)
    }
  }
  const readAhead = (ids: Iterable<number>) => {
    const unknown = [...new Set(ids).difference(facets)]
    if (unknown.length === 0) return
    const rows = writer.prepare(selectCombos).all(internalText(JSON.stringify(unknown))) as ComboSqlRow[]
    for (const row of rows) {
      const read = toFacets(row)
      facets.set(row.id, read)
      combos.set(toComboKey(read), row.id)
      words.set(row.detector, row.detector_id).set(row.type, row.type_id)
      words.set(row.category, row.category_id).set(row.custom_key, row.custom_key_id)
    }
  }
  return {
    wordId,
    wordSetId,
    comboId,
    learn,
    learnWords,
    facetsOf: (id) => {
      const known = facets.get(id)
      if (known !== undefined) return known
      readAhead([id])
      const read = facets.get(id)
      if (read === undefined) throw new RangeError(`there is no combination ${id}`)
      return read
    },
    readAhead,
  }
}

const findSet = 'SELECT id FROM label_set WHERE words = ?'
const insertSet = 'INSERT INTO label_set (words) VALUES (?) ON CONFLICT (words) DO NOTHING'
const findWord: RowStatement = { sql: 'SELECT id FROM word WHERE text = ?', types: ['text'] }
const insertWord: RowStatement = {
  sql: 'INSERT INTO word (text, folded) VALUES (?, ?) ON CONFLICT (text) DO NOTHING',
  types: ['text', 'text'],
}
const comboTypes = Array<'number'>(8).fill('number')
const findCombo: RowStatement = {
  sql: `SELECT id FROM main.combo WHERE source_id = ? AND detector_id = ? AND type_id = ? AND category_id = ?
    AND custom_key_id = ? AND severity = ? AND status = ? AND presence = ?`,
  types: comboTypes,
}
const insertCombo: WriteStatement = {
  sql: `INSERT INTO main.combo (source_id, detector_id, type_id, category_id, custom_key_id, severity, status, presence)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  types: comboTypes,
  order: 0,
  key: [0, 1, 2, 3, 4, 5, 6, 7],
}
const selectCombos = `SELECT c.id, c.source_id, c.detector_id, c.type_id, c.category_id, c.custom_key_id, c.severity, c.status, c.presence,
    d.text AS detector, t.text AS type, g.text AS category, k.text AS custom_key
  FROM main.combo c JOIN word d ON d.id = c.detector_id JOIN word t ON t.id = c.type_id
    JOIN word g ON g.id = c.category_id JOIN word k ON k.id = c.custom_key_id
  WHERE c.id ${IN_NUMBERS}`

const toComboKey = ({
  sourceId,
  detectorType,
  findingType,
  category,
  customDetectorKey,
  severity,
  status,
  presence,
}: Facets) =>
  `${sourceId}\u0000${severity}\u0000${status}\u0000${presence}\u0000${detectorType}\u0000${findingType}\u0000${category}\u0000${customDetectorKey}`

const toFacets = (row: ComboSqlRow): Facets => ({
  sourceId: row.source_id,
  detectorType: row.detector,
  findingType: row.type,
  category: row.category,
  customDetectorKey: row.custom_key,
  severity: toSeverity(row.severity),
  status: toStatus(row.status),
  presence: toPresence(row.presence),
})
