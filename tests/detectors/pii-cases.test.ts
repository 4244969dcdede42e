import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PiiConfig } from '../../src/detectors/pii/description.ts'
import { piiDetector } from '../../src/detectors/pii/index.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { Part } from '../../src/documents/document.ts'
import { readText } from '../../src/documents/reader.ts'
import { type DetectionCase, readCases } from '../bench/detect/cases.ts'
import { judge, matchings } from '../bench/detect/score.ts'
import { isLong } from '../support/long.ts'

const folder = new URL('./pii/cases/', import.meta.url).pathname
const now = Date.UTC(2026, 10, 22)
const asset = { key: '', kind: 'text', name: '', url: '' }
const matching = matchings.PII ?? { exactType: true, anyOverlap: false }
const byDefault = PiiConfig.parse({}).types
/** Types that are off by default are tried alone. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  names: ['PERSON_NAME'],
  addresses: ['POSTAL_ADDRESS'],
  'mac-addresses': ['MAC_ADDRESS'],
}
const files = readdirSync(folder).map((file) => file.replace('.jsonl', ''))

function findIn({ text, path }: DetectionCase, types: readonly string[]) {
  const { findings } = runRequest(
    readText(text, { filename: path }),
    { asset, detectors: [{ type: 'PII', config: { types } }], now, occurrences: 'all' },
    { fingerprint: (canonical) => canonical },
  )
  return findings.map(({ findingType, location, confidence }) => ({
    type: findingType,
    start: location.start ?? 0,
    end: location.end ?? text.length,
    confidence,
  }))
}

interface ColumnCase {
  name: string
  kind: string | null
  language?: string
}
const columns = readFileSync(`${folder}columns.jsonl`, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as ColumnCase)

describe('test cases for personal data', () => {
  it.each(files.filter((file) => file !== 'columns'))('%s', (file) => {
    const cases = readCases([`${folder}${file}.jsonl`]).filter((_, at) => isLong || at % 2 === 0)
    const wrong = cases.flatMap((each) => {
      const { judged, found } = judge(each, findIn(each, typesOf[file] ?? byDefault), matching)
      const isRight = found === each.expected.length && judged.every(({ right }) => right)
      return isRight ? [] : [`${each.id}: ${each.text}`]
    })
    expect(wrong).toEqual([])
  })

  it('columns of personal data are recognized by their names', () => {
    const wrong = columns.flatMap(({ name, kind }) => {
      const part: Part = { kind: 'name', text: name, path: `Sales.${name}` }
      const document = { mime: '', parts: [part], links: [] }
      const [found] = [...piiDetector.detect(document, { asset, config: PiiConfig.parse({}), now })]
      const shown = found?.shown?.replace('column that holds a ', '') ?? null
      return shown === kind ? [] : [`${name}: ${shown}, not ${kind}`]
    })
    expect(wrong).toEqual([])
  })
})
