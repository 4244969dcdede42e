import { detectText } from '../../../src/detectors/detect-text.ts'
import { replaceModel, type WordingModel } from '../../../src/detectors/prompt-injection/wording-model.ts'
import { trainModel, withThresholds } from '../../../training/wording-model.ts'
import { print } from '../../support/bench.ts'
import type { DetectionCase } from './cases.ts'

const TYPE = 'PROMPT_INJECTION'
const percent = (share: number) => (100 * share).toFixed(1)

function findShare(cases: readonly DetectionCase[], model: WordingModel): number {
  replaceModel(model)
  const hit = cases.filter(({ id, text, expected }) =>
    detectText({ id, text, types: [TYPE] }).findings.some((found) =>
      expected.some((span) => found.start < span.end && span.start < found.end),
    ),
  )
  return hit.length / cases.length
}

/**
 * How much of a source is found by rules alone, and with a model that never saw it; thresholds come from clean cases of
 * elsewhere. Sources in `skipped` are in no training, but are measured.
 */
export function leaveOneSourceOut(
  train: readonly DetectionCase[],
  clean: readonly DetectionCase[],
  skipped: ReadonlySet<string>,
) {
  const attempts = train.filter(({ expected }) => expected.length > 0)
  const sources = [...new Set(attempts.map(({ source }) => source))].sort()
  const none = { ...trainModel([]), strong: Infinity, weak: Infinity }
  const results = sources.map((source) => {
    const own = attempts.filter((each) => each.source === source)
    const others = train.filter((each) => each.source !== source && !skipped.has(each.source))
    const rules = findShare(own, none)
    const both = findShare(own, withThresholds(trainModel(others), clean))
    print(
      `${source.padEnd(24)}${String(own.length).padStart(6)}${percent(rules).padStart(8)}${percent(both).padStart(8)}`,
    )
    return { source, cases: own.length, rules, both }
  })
  const mean = (pick: (result: (typeof results)[number]) => number) =>
    results.reduce((sum, each) => sum + pick(each), 0) / results.length
  const [rules, both] = [mean((each) => each.rules), mean((each) => each.both)]
  print(`${'mean over sources'.padEnd(30)}${percent(rules).padStart(8)}${percent(both).padStart(8)}`)
  return { results, rules, both }
}
