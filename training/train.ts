import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeModel, MODEL_FILE } from '../src/detectors/prompt-injection/wording-model.ts'
import { readCases } from '../tests/bench/detect/cases.ts'
import { print, readFlags } from '../tests/support/bench.ts'
import { trainModel, withThresholds } from './wording-model.ts'

// Writes the model of wordings from labelled texts that are no part of the project.
// npm run train -- --train FILE[,FILE] --clean FILE[,FILE] --skip SOURCE[,SOURCE]
//   --train  texts to learn from; --clean  texts whose clean ones set the thresholds
//   --skip   sources that the weights must not come from, such as those under a share-alike licence

const target = fileURLToPath(new URL(`../${MODEL_FILE}`, import.meta.url))
const flags = readFlags({ train: '', clean: '', skip: '', out: target })
if (flags.train === '' || flags.clean === '')
  throw new RangeError('Name the files to learn from: npm run train -- --train FILE --clean FILE')
const skipped = new Set(flags.skip.split(','))
const cases = readCases(flags.train.split(',')).filter(({ source }) => !skipped.has(source))
const model = withThresholds(trainModel(cases), readCases(flags.clean.split(',')))
const file = encodeModel(model)
mkdirSync(dirname(flags.out), { recursive: true })
writeFileSync(flags.out, file)
print(`${cases.length} texts, thresholds ${model.strong.toFixed(3)} and ${model.weak.toFixed(3)}`)
print(`${flags.out}: ${file.length} bytes`)
