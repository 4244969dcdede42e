import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PiiConfig, piiDescription } from '../../src/detectors/pii/description.ts'
import { idRules } from '../../src/detectors/pii/ids/all.ts'
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

/** Classes of what other detectors miss or report by mistake; each is the family of some cases. */
const classes = (
  'table markdown|table tabs|table csv|table html|table aligned|key snake|key camel|label: dotted abbreviation|' +
  'label: English name of a foreign number|label: shared Nordic name|phone after a verb|phone in a signature|' +
  'phone in brackets|two numbers in a sentence|private address with low octets|mail with combining marks|card UATP|' +
  'form FI_PERSONAL_CODE|form BE_NATIONAL_NUMBER|form IT_FISCAL_CODE|form NL_BSN|form ES_NIF|form AT_SOCIAL_SECURITY|' +
  'form NO_BIRTH_NUMBER|form DK_CPR|form UK_NINO|form SE_PERSONAL_NUMBER|form IE_PPS|form DE_TAX_ID|form IBAN|' +
  'form CREDIT_CARD|form EMAIL|form IP_ADDRESS|part numbers|Danish, Finnish or Swedish number|NHS number or phone|' +
  'SIN or SSN|date inside the id|repeated digits of German tax ids|card inside a wrong IBAN|' +
  'package and guest names as mail|US driving licences|British bank accounts|Australian bank accounts|' +
  'American bank accounts|wallet base58|wallet bech32|wallet eip55'
).split('|')
const counted = files.filter((file) => !['columns', 'false-alarms', 'forms'].includes(file))
/** Passports and routing numbers have their own files, by language and country. */
const ids = idRules.map(({ type }) => type).filter((type) => !['PASSPORT', 'US_BANK_ROUTING'].includes(type))

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

  it.each(counted)('%s has at least ten positive and ten negative cases for each language and class', (file) => {
    const counts = new Map<string, { found: number; left: number }>()
    for (const { language, family, expected } of readCases([`${folder}${file}.jsonl`])) {
      const key = `${language} ${family}`
      const count = counts.get(key) ?? { found: 0, left: 0 }
      counts.set(key, count)
      if (expected.length > 0) count.found++
      else count.left++
    }
    const few = [...counts].filter(([, { found, left }]) => Math.min(found, left) < 10)
    expect(few).toEqual([])
  })

  it('exist for every id and every class', () => {
    const all = counted.flatMap((file) => readCases([`${folder}${file}.jsonl`]))
    const families = new Set(all.map(({ family }) => family))
    expect([...ids, ...classes].filter((each) => !families.has(each))).toEqual([])
  })

  it('exist for every type of finding, at least ten that are to be found', () => {
    const expected = files
      .filter((file) => file !== 'columns')
      .flatMap((file) => readCases([`${folder}${file}.jsonl`]))
      .flatMap((each) => [...new Set(each.expected.map(({ type }) => type))])
    const types = piiDescription.findingTypes.filter((type) => type !== 'SENSITIVE_COLUMN')
    const few = types.filter((type) => expected.filter((each) => each === type).length < 10)
    expect(few).toEqual([])
    expect(types.length).toBeGreaterThan(90)
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

  it('columns have at least ten names of personal data and ten others in each of 18 languages', () => {
    const languages = new Set(columns.flatMap(({ language }) => language ?? []))
    const few = [...languages].filter((language) => {
      const own = columns.filter((each) => each.language === language)
      const found = own.filter(({ kind }) => kind !== null).length
      return Math.min(found, own.length - found) < 10
    })
    expect(few).toEqual([])
    expect(languages.size).toBe(18)
  })
})
