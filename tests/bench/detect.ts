import { detectText } from '../../src/detectors/detect-text.ts'
import { documentDetectors } from '../../src/detectors/index.ts'
import { print, readFlags, saveResults } from '../support/bench.ts'
import { type DetectionCase, QUOTING_FAMILY, readCases } from './detect/cases.ts'
import { leaveOneSourceOut } from './detect/leave-out.ts'
import { addCase, type Judged, judge, type Matching, matchings, Tally, toCalibration } from './detect/score.ts'
import { measureSpeed } from './detect/speed.ts'

// npm run bench -- detect                                throughput and the slowest text of every detector
//   --cases FILE[,FILE]   labelled cases (JSONL, may be gzipped): recall, precision, clean texts flagged, calibration
//   --type TYPE           one detector only; needed with --cases
//   --by source,language,family,type                     what the cases are grouped by; default source,language
//   --train FILE[,FILE]   leave-one-source-out: every source of these is scored by rules, and by rules or a model
//                         that was trained on the others; --cases then set its thresholds, --skip keeps sources out
//   --wrong FILE          writes the ids of the cases that are missed or wrongly flagged
// The cases are no part of the project, so their place is given: --cases, or ASSAY_DETECT_CASES.

const flags = readFlags({
  cases: process.env.ASSAY_DETECT_CASES ?? '',
  type: '',
  by: 'source,language',
  train: process.env.ASSAY_DETECT_TRAIN ?? '',
  skip: '',
  wrong: '',
})
const known = documentDetectors.map(({ type }) => type)
if (flags.type !== '' && !known.includes(flags.type))
  throw new RangeError(`--type is '${flags.type}', but it must be one of ${known.join(', ')}.`)

const percent = (share: number) => (Number.isNaN(share) ? '-' : (100 * share).toFixed(1))

function keysOf({ source, language, family, expected }: DetectionCase, by: readonly string[]): string[] {
  const keys = ['all']
  if (by.includes('source')) keys.push(`source ${source}`)
  if (by.includes('language') && language !== '-') keys.push(`language ${language}`)
  if (by.includes('family') && family !== '-') keys.push(`family ${family}`)
  if (by.includes('type')) keys.push(...new Set(expected.map(({ type }) => `type ${type}`)))
  return keys
}

function scoreCases(cases: readonly DetectionCase[], type: string, matching: Matching) {
  const labelled = new Set(cases.flatMap(({ expected }) => expected.map((span) => span.type)))
  const tallies = new Map<string, Tally>()
  const all: Judged[] = []
  const wrong: { id: string; source: string; clean: boolean; findings: number }[] = []
  for (const each of cases) {
    const predictions = detectText({ id: each.id, text: each.text, path: each.path, types: [type] })
      .findings.map(({ findingType, start, end, confidence }) => ({ type: findingType, start, end, confidence }))
      .filter((found) => !matching.exactType || labelled.has(found.type))
    const result = judge(each, predictions, matching)
    const isQuoting = each.family === QUOTING_FAMILY
    if (!isQuoting) all.push(...result.judged)
    for (const key of isQuoting ? ['pages that quote attacks'] : keysOf(each, flags.by.split(','))) {
      const tally = tallies.get(key) ?? new Tally()
      tallies.set(key, tally)
      addCase(tally, each, result)
    }
    const clean = each.expected.length === 0
    if (clean ? result.judged.length > 0 : result.found < each.expected.length)
      wrong.push({ id: each.id, source: each.source, clean, findings: result.judged.length })
  }
  return { tallies, calibration: toCalibration(all), wrong }
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

if (flags.train !== '') {
  if (flags.cases === '') throw new RangeError('Name the cases whose clean texts set the thresholds: --cases FILE')
  print(`${'source'.padEnd(24)}${'cases'.padStart(6)}${'rules'.padStart(8)}${'both'.padStart(8)}`)
  const [train, cases] = [flags.train, flags.cases].map((files) => readCases(files.split(',')))
  saveResults(flags.json, leaveOneSourceOut(train ?? [], cases ?? [], new Set(flags.skip.split(','))))
} else if (flags.cases === '') {
  const speeds = measureSpeed(flags.type === '' ? known : [flags.type])
  saveResults(flags.json, { speeds })
} else {
  const matching = matchings[flags.type]
  if (matching === undefined)
    throw new RangeError(`Name the detector of the cases: --type ${Object.keys(matchings).join(' | ')}`)
  const { tallies, calibration, wrong } = scoreCases(readCases(flags.cases.split(',')), flags.type, matching)
  printTallies(tallies)
  print('\nconfidence    findings   right %   mean confidence %')
  for (const { from, findings, right, meanConfidence } of calibration) {
    const range = `${from.toFixed(1)} to ${(from + 0.1).toFixed(1)}`
    print(
      `${range.padEnd(14)}${String(findings).padStart(8)}${percent(right / findings).padStart(10)}${percent(meanConfidence).padStart(20)}`,
    )
  }
  saveResults(flags.wrong, { wrong })
  saveResults(flags.json, { tallies: Object.fromEntries(tallies), calibration })
}
