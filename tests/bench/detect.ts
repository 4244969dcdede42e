import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentDetectors } from '../../src/detectors/index.ts'
import { runDetectors } from '../../src/detectors/runner.ts'
import { parseMarkdown } from '../../src/documents/markdown.ts'

const root = new URL('../../node_modules/', import.meta.url).pathname
const MEGABYTE = 1_000_000
const MOST_MEGABYTES = 5
const ROUNDS = 3

/** The Markdown that installed packages ship: ordinary technical documentation, each text once. */
function readDocumentation(): string[] {
  const texts = new Set<string>()
  let length = 0
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/\.mdx?$/i.test(file) || length > MOST_MEGABYTES * MEGABYTE) continue
    const text = readFileSync(join(root, file), 'utf8')
    if (!texts.has(text)) length += text.length
    texts.add(text)
  }
  return [...texts]
}

const texts = readDocumentation()
const documents = texts.map((text) => parseMarkdown(text))
const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / MEGABYTE
process.stdout.write(
  `${documents.length} Markdown files, ${megabytes.toFixed(2)} MB, best of ${ROUNDS} rounds on one core\n`,
)

for (const detector of documentDetectors) {
  const config = detector.config.parse({})
  let best = Number.POSITIVE_INFINITY
  let found = 0
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    found = 0
    for (const document of documents) {
      const asset = { key: '', kind: 'wiki.page', name: '', url: '' }
      const options = {
        asset,
        detectors: [{ detector, config }],
        now: 0,
        fingerprint: (canonical: string) => canonical,
      }
      found += runDetectors(document, options).findings.length
    }
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000_000)
  }
  const speed = `${(megabytes / best).toFixed(1)} MB/s`
  process.stdout.write(
    `${detector.type.padEnd(18)}${speed.padStart(12)}  ${found} findings, ${(found / megabytes).toFixed(2)} a MB\n`,
  )
}
