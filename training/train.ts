import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeModel, MODEL_FILE } from '../src/detectors/prompt-injection/wording-model.ts'
import { readCases } from '../tests/bench/detect/cases.ts'
import { ownCases } from '../tests/detectors/prompt-injection/cases.ts'
import { print, readFlags } from '../tests/support/bench.ts'
import { digest, digestFeatures, RECORD_FILE, readRecord, type TrainingRecord } from './record.ts'
import { trainModel, withThresholds } from './wording-model.ts'

// Writes the model of wordings from labelled texts that are no part of the project, and what it was trained from.
// npm run train -- --train FILE[,FILE] --clean FILE[,FILE] --skip SOURCE[,SOURCE]
//   --train  texts to learn from; --clean  texts whose clean ones set the thresholds
//   The harmless sentences of the tests are among both.
//   --skip   sources that the weights must not come from, such as those under a share-alike licence
//   --out    writes the model there and no record, and compares it with the recorded one

const target = fileURLToPath(new URL(`../${MODEL_FILE}`, import.meta.url))
const flags = readFlags({ train: '', clean: '', skip: '', out: target })
if (flags.train === '' || flags.clean === '')
  throw new RangeError('Name the files to learn from: npm run train -- --train FILE --clean FILE')
const [train, clean, skipped] = [flags.train, flags.clean, flags.skip].map((list) => list.split(','))
const cases = readCases(train ?? []).filter(({ source }) => skipped?.includes(source) !== true)
const harmless = ownCases
  .filter(({ isAttempt }) => !isAttempt)
  .map(({ text }) => ({
    id: '',
    text,
    source: 'tests',
    language: '-',
    family: '-',
    path: undefined,
    expected: [],
    ignored: [],
  }))
const model = withThresholds(trainModel([...cases, ...harmless]), [...readCases(clean ?? []), ...harmless])
const file = encodeModel(model)
const digestFiles = (files: readonly string[] = []) => files.map((name) => digest(readFileSync(name)))
const record: TrainingRecord = {
  model: digest(file),
  train: digestFiles(train),
  clean: digestFiles(clean),
  skipped: skipped ?? [],
  features: digestFeatures(),
}
mkdirSync(dirname(flags.out), { recursive: true })
writeFileSync(flags.out, file)
print(`${cases.length} texts, thresholds ${model.strong.toFixed(3)} and ${model.weak.toFixed(3)}`)
print(`${flags.out}: ${file.length} bytes, SHA-256 ${record.model}`)
if (flags.out === target) writeFileSync(RECORD_FILE, `${JSON.stringify(record, null, 2)}\n`)
else
  print(
    record.model === readRecord().model ? 'the same file as the recorded one' : 'another file than the recorded one',
  )
