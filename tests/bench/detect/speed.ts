import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findDocumentDetector } from '../../../src/detectors/index.ts'
import { runDetectors } from '../../../src/detectors/runner.ts'
import type { AssayDocument } from '../../../src/documents/document.ts'
import { parseMarkdown } from '../../../src/documents/markup/markdown.ts'
import { hostilePieces, repeat } from '../../detectors/hostile.ts'
import { print } from '../../support/bench.ts'

const root = new URL('../../../node_modules/', import.meta.url).pathname
const MEGABYTE = 1_000_000
const MAX_MEGABYTES = 5
const ROUNDS = 5
/** Long enough to show what grows with the length, short enough to try every hostile piece. */
const HOSTILE_LENGTH = 256 * 1024

/** The Markdown that installed packages ship: ordinary technical documentation, each text once. */
function readDocumentation(): string[] {
  const texts = new Set<string>()
  let length = 0
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/\.mdx?$/i.test(file) || length > MAX_MEGABYTES * MEGABYTE) continue
    const text = readFileSync(join(root, file), 'utf8')
    if (!texts.has(text)) length += text.length
    texts.add(text)
  }
  return [...texts]
}

function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

const toPlain = (text: string): AssayDocument => ({
  mime: 'text/plain',
  parts: [{ kind: 'text', path: 'body', text }],
  links: [],
})

/** Throughput over documentation, findings in it, and the text that takes longest for its length, per detector. */
export function measureSpeed(types: readonly string[]) {
  const texts = readDocumentation()
  const documents = texts.map((text) => parseMarkdown(text))
  const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / MEGABYTE
  print(`${documents.length} Markdown files, ${megabytes.toFixed(2)} MB, best of ${ROUNDS} rounds on one core`)
  const asset = { key: '', kind: 'wiki.page', name: '', url: '' }
  const runOf = (type: string) => {
    const detector = findDocumentDetector(type)
    if (detector === undefined) throw new RangeError(`There is no detector ${type}.`)
    const detectors = [{ detector, config: detector.config.parse({}) }]
    return (document: AssayDocument) =>
      runDetectors(document, { asset, detectors, now: 0, fingerprint: (canonical) => canonical }).findings
  }
  const speeds = types.map((type) => {
    const run = runOf(type)
    const rounds = Array.from({ length: ROUNDS }, () => cpuSeconds(() => documents.forEach(run)))
    const byType = new Map<string, number>()
    for (const document of documents)
      for (const { findingType } of run(document)) byType.set(findingType, (byType.get(findingType) ?? 0) + 1)
    const found = [...byType.values()].reduce((sum, count) => sum + count, 0)
    const speed = megabytes / Math.min(...rounds)
    print(
      `${type.padEnd(18)}${speed.toFixed(1).padStart(7)} MB/s  ${found} findings, ${(found / megabytes).toFixed(2)} a MB`,
    )
    if (found > 0) print(`  ${[...byType].map(([name, count]) => `${name} ${count}`).join(', ')}`)
    return { type, megabytesPerSecond: speed, findings: Object.fromEntries(byType), megabytes }
  })
  // Afterwards, so that the compiled code of ordinary texts is not that of hostile ones.
  return speeds.map((speed) => {
    const run = runOf(speed.type)
    const hostile = Object.values(hostilePieces)
      .flat()
      .map((piece) => {
        const document = toPlain(repeat(piece, HOSTILE_LENGTH))
        return { piece, seconds: cpuSeconds(() => void run(document)) }
      })
    const worst = hostile.reduce((slowest, each) => (each.seconds > slowest.seconds ? each : slowest))
    const worstSpeed = HOSTILE_LENGTH / MEGABYTE / worst.seconds
    print(`${speed.type.padEnd(18)}slowest hostile text ${JSON.stringify(worst.piece)} ${worstSpeed.toFixed(1)} MB/s`)
    return { ...speed, worst: { ...worst, worstSpeed } }
  })
}
