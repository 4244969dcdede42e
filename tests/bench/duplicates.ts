import { compareTexts, findNearPairs } from '../../src/detectors/duplicate/compare.ts'
import { DuplicateConfig } from '../../src/detectors/duplicate/config.ts'
import { duplicateDetector } from '../../src/detectors/duplicate/index.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { listAlikePairs, makeTexts, runToEnd, toCorpus } from '../detectors/duplicate/texts.ts'

// Near-duplicates of generated texts against a comparison of the words themselves, and what both cost.
// node tests/bench/duplicates.ts [texts]

const count = Number(process.argv[2] ?? 2_500)
const texts = makeTexts(count, 11)
const asset = { key: 'a', kind: 'wiki.page', name: 'Page', url: '' }
const fingerprint = createFingerprinter(new Uint8Array(32))

const print = (line: string) => process.stdout.write(`${line}\n`)

function timed<T>(what: string, work: () => T, bytes?: number): T {
  const started = performance.now()
  const result = work()
  const ms = performance.now() - started
  const speed = bytes === undefined ? '' : `, ${(bytes / 1e6 / (ms / 1e3)).toFixed(1)} MB/s`
  print(`${what}: ${ms.toFixed(0)} ms${speed}`)
  return result
}

/** The longest stretch without a turn for others. */
function longestStep(steps: Generator<undefined, unknown>): number {
  let longest = 0
  for (let done: boolean | undefined = false; !done; ) {
    const started = performance.now()
    done = steps.next().done
    longest = Math.max(longest, performance.now() - started)
  }
  return longest
}

const written = texts.map((words) => words.join(' '))
const bytes = written.reduce((sum, text) => sum + text.length, 0)
print(`${texts.length} texts, ${(bytes / 1e6).toFixed(1)} MB`)
timed(
  'keep what is compared',
  () => {
    for (const text of written) {
      const document = { mime: '', parts: [{ kind: 'text' as const, text, path: 'body' }], links: [] }
      duplicateDetector.digest?.(document, { asset, fingerprint })
    }
  },
  bytes,
)
const { texts: compared, shinglesOf } = toCorpus(texts)
const config = DuplicateConfig.parse({})
timed('compare all', () => runToEnd(compareTexts(compared, shinglesOf, config)))
print(`longest step: ${longestStep(compareTexts(compared, shinglesOf, config)).toFixed(0)} ms`)
if (count <= 5_000) {
  const truth = timed('compare the words themselves', () => listAlikePairs(texts, 0.85))
  const pairs = runToEnd(findNearPairs(compared, shinglesOf, 0.85)).map(({ older, newer }) => `${older.id} ${newer.id}`)
  const right = pairs.filter((pair) => truth.has(pair)).length
  const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(2)} %`
  print(`${truth.size} alike pairs: recall ${percent(right, truth.size)}, precision ${percent(right, pairs.length)}`)
}
