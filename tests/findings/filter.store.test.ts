import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { assetCondition, findingCondition } from '../../src/findings/filter.store.ts'
import type { FilterMapping } from '../../src/findings/filter.ts'
import { resolveFilter } from '../../src/findings/term-filters.store.ts'
import { db } from '../../src/store/builder.ts'
import type { Store } from '../../src/store/store.ts'
import { openStore, plant } from '../query/estate.ts'
import { errorOf } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

function openEstate(): Store {
  const store = openStore()
  plant(store, {
    sources: [
      { name: 'Docs', type: 'WIKI' },
      { name: 'Reports', type: 'BI_PLATFORM' },
    ],
    assets: [
      { key: 'p1', source: 'Docs', kind: 'wiki.page', container: 'ENG' },
      { key: 'p2', source: 'Docs', kind: 'wiki.comments', container: 'OPS' },
      { key: 'r1', source: 'Reports', kind: 'bi.report' },
    ],
    findings: [
      { asset: 'p1', firstDetectedAt: 1, detectorType: 'SECRETS', severity: 'CRITICAL', category: 'SECURITY' },
      { asset: 'p1', firstDetectedAt: 2, detectorType: 'PII', severity: 'LOW', status: 'RESOLVED', confidence: 0.5 },
      { asset: 'p2', firstDetectedAt: 3, detectorType: 'PII', severity: 'MEDIUM', findingType: 'EMAIL' },
      { asset: 'r1', firstDetectedAt: 4, detectorType: 'CUSTOM', severity: 'CRITICAL', customDetectorKey: 'k1' },
    ],
  })
  const insert = `INSERT INTO term (uid, slug, display_name, filter_mapping, created_at, updated_at) VALUES ('t', ?, 'T', ?, 0, 0)`
  store.write((writer) => writer.prepare(insert).run(safe('of-emails'), safe('{"findingTypes":["email"]}')))
  return store
}

const NOW = 10 * 3_600_000

const idsOf = (store: Store, filter: FilterMapping) =>
  store.read((reader) =>
    reader
      .all(
        db
          .selectFrom('finding as f')
          .select('f.id')
          .where(findingCondition(resolveFilter(reader, filter, NOW)))
          .orderBy('f.id'),
      )
      .map(({ id }) => id),
  )

test.each<[string, FilterMapping, number[]]>([
  ['an empty filter matches all', {}, [1, 2, 3, 4]],
  ['OR inside a key', { detectorTypes: ['SECRETS', 'CUSTOM'] }, [1, 4]],
  ['AND across keys', { detectorTypes: ['SECRETS', 'CUSTOM'], severities: ['CRITICAL'], sources: ['Docs'] }, [1]],
  ['a source name in another case', { sources: ['docs'] }, [1, 2, 3]],
  ['a source type', { sourceTypes: ['BI_PLATFORM'] }, [4]],
  ['a kind', { assetKinds: ['wiki.comments', 'bi.report'] }, [3, 4]],
  ['a container', { containers: ['ENG'] }, [1, 2]],
  ['no container', { containers: ['(none)'] }, [4]],
  ['a status', { statuses: ['RESOLVED'] }, [2]],
  ['a finding type', { findingTypes: ['EMAIL'] }, [3]],
  ['a custom detector', { customDetectorKeys: ['k1'] }, [4]],
  ['a value without findings', { findingTypes: ['NEVER_SEEN'] }, []],
  ['confidence', { minConfidence: 0.5001 }, [1, 3, 4]],
  ['a confidence equal to the minimum matches', { minConfidence: 0.5 }, [1, 2, 3, 4]],
  ['exclude keeps findings without a value', { exclude: { categories: ['SECURITY'] } }, [2, 3, 4]],
  [
    'exclude removes findings that match any of its keys',
    { exclude: { severities: ['LOW'], detectorTypes: ['CUSTOM'] } },
    [1, 3],
  ],
  ['exclude subtracts from the rest', { detectorTypes: ['PII'], exclude: { statuses: ['RESOLVED'] } }, [3]],
  ['exclude of a container', { exclude: { containers: ['ENG'] } }, [3, 4]],
  ['exclude of a source', { exclude: { sources: ['Reports'] } }, [1, 2, 3]],
  ['a range of confidence is half-open', { ranges: { confidence: { max: 0.5 } } }, []],
  ['a range of confidence from its minimum on', { ranges: { confidence: { min: 0.5, max: 0.6 } } }, [2]],
  ['exclude of a range keeps the others', { exclude: { ranges: { confidence: { max: 0.6 } } } }, [1, 3, 4]],
  ['age at the moment of the answer', { ranges: { ageHours: { min: (36_000_000 - 2) / 3_600_000 } } }, [1, 2]],
  ['several terms are OR', { terms: ['critical-findings', 'of-emails'] }, [1, 3, 4]],
  ['a term is AND with the rest', { terms: ['critical-findings'], detectorTypes: ['CUSTOM'] }, [4]],
  ['exclude of a term', { exclude: { terms: ['Critical-Findings'] } }, [2, 3]],
])('findings: %s', (_, filter, expected) => {
  expect(idsOf(openEstate(), filter)).toEqual(expected)
})

test.each<[string, FilterMapping, string[]]>([
  ['an asset key also matches assets without findings', { assetKinds: ['wiki.page', 'bi.report'] }, ['p1', 'r1']],
  [
    'a finding key matches assets with at least one such finding',
    { statuses: ['OPEN'], detectorTypes: ['PII'] },
    ['p2'],
  ],
  ['one finding must match the whole mapping', { severities: ['CRITICAL'], statuses: ['RESOLVED'] }, []],
  ['exclude of an asset key', { exclude: { sources: ['Docs'] } }, ['r1']],
  ['exclude of a finding key leaves another finding', { exclude: { severities: ['CRITICAL'] } }, ['p1', 'p2']],
])('assets: %s', (_, filter, expected) => {
  const store = openEstate()
  const keys = store.read((reader) => {
    const matches = assetCondition(resolveFilter(reader, filter, NOW))
    return reader.all(db.selectFrom('asset as a').select('a.key').where(matches).orderBy('a.key'))
  })
  expect(keys.map(({ key }) => key)).toEqual(expected)
})

test('a status of another moment can replace the current one', () => {
  const store = openEstate()
  const resolved = db
    .selectFrom('finding as f')
    .select('f.id')
    .where(findingCondition([{ key: 'statuses', values: ['RESOLVED'], exclude: false }], { status: sql<number>`1` }))
  expect(store.read((reader) => reader.all(resolved))).toHaveLength(4)
})

test.each<[string, string, string]>([
  ['does not exist', 'critical-finding', 'not_found'],
  ['is not active', 'of-emails', 'conflict'],
])('a term that %s is refused', async (_, slug, code) => {
  const store = openEstate()
  store.write((writer) => writer.prepare("UPDATE term SET is_active = 0 WHERE slug = 'of-emails'").run())
  const error = await errorOf(new Promise((resolve) => resolve(idsOf(store, { terms: [slug] }))))
  expect(error.code).toBe(code)
})
