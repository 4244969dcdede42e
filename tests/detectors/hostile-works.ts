import { contentQualityDetector } from '../../src/detectors/content-quality/index.ts'
import type { Detector } from '../../src/detectors/detector.ts'
import { duplicateDetector } from '../../src/detectors/duplicate/index.ts'
import { documentDetectors } from '../../src/detectors/index.ts'
import { runDetectors } from '../../src/detectors/runner.ts'
import type { AssayDocument } from '../../src/documents/document.ts'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { readText } from '../../src/documents/reader.ts'

const asset = { key: 'a', kind: 'wiki.page', name: 'Page', url: '' }
const fingerprint = (canonical: string) => canonical
const definition = { category: 'CUSTOM', severity: 'LOW', confidence: 0.8 }
const keywords = { type: 'KEYWORDS', keywords: ['project neptune', 'ignore all', 'aaaa'] }
const definitions = [
  { ...definition, key: 'words', findingType: 'WORDS', rule: { any: [keywords] } },
  { ...definition, key: 'both', findingType: 'BOTH', rule: { all: [keywords], none: [keywords], within: 10_000 } },
  {
    ...definition,
    key: 'numbers',
    findingType: 'NUMBERS',
    rule: { any: [{ type: 'REGEX', pattern: '(?:a|aa|[0-9 ])+b\\d{4}' }] },
  },
]

const toDocument = (text: string): AssayDocument => ({
  mime: 'text/plain',
  parts: [{ kind: 'text', path: 'body', text }],
  links: [],
})

function runOf(detector: Detector): (text: string) => void {
  const config = detector.config.parse(detector.type === 'CUSTOM' ? { definitions } : {})
  return (text) =>
    void runDetectors(toDocument(text), { asset, detectors: [{ detector, config }], now: 0, fingerprint })
}

const mimes = ['text/html', 'text/markdown', 'text/csv', 'application/json', 'application/xml', 'text/plain']

/**
 * Everything that meets the text of a page: the detectors, what is kept of a text, and the parsers with their links.
 */
export const hostileWorks: Readonly<Record<string, (text: string) => void>> = {
  ...Object.fromEntries(documentDetectors.map((detector) => [detector.type, runOf(detector)])),
  DUPLICATE: (text) => void duplicateDetector.digest?.(toDocument(text), { asset, fingerprint }),
  CONTENT_QUALITY: (text) => void contentQualityDetector.digest?.(toDocument(text), { asset, fingerprint }),
  'the parser of storage format': (text) => void parseStorage(text),
  ...Object.fromEntries(
    mimes.map((mime) => [`the parser of ${mime}`, (text: string) => void readText(text, { mime })]),
  ),
}
