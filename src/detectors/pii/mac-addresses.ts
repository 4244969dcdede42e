import type { Part } from '../../documents/document.ts'
import { hasVariety } from './ids/rule.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { topicOf } from './topics.ts'

const topics = [topicOf('MAC')]
const candidate =
  /(?<![\w:.-])(?:[\da-f]{2}([:-])(?:[\da-f]{2}\1){4}[\da-f]{2}|[\da-f]{4}\.[\da-f]{4}\.[\da-f]{4})(?![\w:-]|\.\w)/gi
/** Prefixes of invented addresses. */
const madeUp = /^(?:001122|012345|123456|aabbcc|abcdef|deadbe)/

/** EUI-48 addresses assigned by a manufacturer: neither group nor locally administered addresses. */
export function* findMacAddresses({ text }: Part, labels: PartLabels): Generator<PiiMatch> {
  for (const { 0: found, index } of text.matchAll(candidate)) {
    const digits = found.replace(/[^\da-f]/gi, '').toLowerCase()
    if ((Number.parseInt(digits.slice(0, 2), 16) & 3) !== 0 || madeUp.test(digits) || !hasVariety(digits, 5)) continue
    if (!/[a-f]/.test(digits)) continue
    const isNamed = labels.names(topics, index, index + found.length)
    yield {
      type: 'MAC_ADDRESS',
      start: index,
      end: index + found.length,
      confidence: isNamed ? 0.85 : 0.6,
      severity: 'LOW',
      identity: digits,
      shown: `${found.slice(0, 8)}•••`,
    }
  }
}
