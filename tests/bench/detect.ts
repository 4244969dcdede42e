import { detectText } from '../../src/detectors/detect-text.ts'
import { documentDetectors } from '../../src/detectors/index.ts'
import { print, readFlags, saveResults } from '../support/bench.ts'
import { type DetectionCase, QUOTING_FAMILY, readCases } from './detect/cases.ts'
import { addCase, judge, type Matching, matchings, Tally } from './detect/score.ts'
import { measureSpeed } from './detect/speed.ts'

// npm run bench -- detect                                throughput and the slowest text of every detector
//   --cases FILE[,FILE]   labelled cases (JSONL, may be gzipped): recall, precision, clean texts flagged
//   --type TYPE           one detector only; needed with --cases
// The cases are no part of the project, so their place is given: --cases, or ASSAY_DETECT_CASES.

const flags = readFlags({
  cases: process.env.ASSAY_DETECT_CASES ?? '',
  type: '',
})
const known = documentDetectors.map(({ type }) => type)
if (flags.type !== '' && !known.includes(flags.type))
  throw new RangeError(`--type is '${flags.type}', but it must be one of ${known.join(', ')}.`)

const percent = (share: number) => (Number.isNaN(share) ? '-' : (100 * share).toFixed(1))

const keysOf = ({ source, language }: DetectionCase) => [
  'all',
  `source ${source}`,
  ...(language === '-' ? [] : [`language ${language}`]),
]

function scoreCases(cases: readonly DetectionCase[], type: string, matching: Matching) {
  const labelled = new Set(cases.flatMap(({ expected }) => expected.map((span) => span.type)))
  const tallies = new Map<string, Tally>()
  for (const each of cases) {
    const predictions = detectText({ id: each.id, text: each.text, path: each.path, types: [type] })
      .findings.map(({ findingType, start, end, confidence }) => ({ type: findingType, start, end, confidence }))
      .filter((found) => !matching.exactType || labelled.has(found.type))
    const result = judge(each, predictions, matching)
    for (const key of each.family === QUOTING_FAMILY ? ['pages that quote attacks'] : keysOf(each)) {
      const tally = tallies.get(key) ?? new Tally()
      tallies.set(key, tally)
      addCase(tally, each, result)
    }
  }
  return tallies
}

function printTallies(tallies: ReadonlyMap<string, Tally>): void {
  const heads = ['group', 'spans', 'recall %', 'cases', 'hit %', 'findings', 'precision %', 'F1', 'clean', 'flagged %']
  const rows = [...tallies].map(([key, tally]) => [
    key,
    tally.spans,
    percent(tally.recall),
    tally.positives,
    percent(tally.positivesHit / tally.positives),
    tally.findings,
    percent(tally.precision),
    percent(tally.f1),
    tally.clean,
    percent(tally.cleanFlagged / tally.clean),
  ])
  const line = (cells: readonly unknown[]) =>
    cells.map((cell, at) => (at === 0 ? String(cell).padEnd(40) : String(cell).padStart(12))).join('')
  print(line(heads))
  for (const row of rows) print(line(row))
}

if (flags.cases === '') {
  const speeds = measureSpeed(flags.type === '' ? known : [flags.type])
  saveResults(flags.json, { speeds })
} else {
  const matching = matchings[flags.type]
  if (matching === undefined)
    throw new RangeError(`Name the detector of the cases: --type ${Object.keys(matchings).join(' | ')}`)
  const tallies = scoreCases(readCases(flags.cases.split(',')), flags.type, matching)
  printTallies(tallies)
  saveResults(flags.json, { tallies: Object.fromEntries(tallies) })
}
