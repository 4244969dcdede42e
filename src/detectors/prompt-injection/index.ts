import type { Part } from '../../documents/document.ts'
import type { Detector, Match } from '../detector.ts'
import { toCanonical } from './canonical.ts'
import { type Signal, toClusters } from './clusters.ts'
import { type PromptInjectionConfig, promptInjectionDescription } from './description.ts'
import { findDecoded } from './encodings.ts'
import { isQuotedExample } from './quotes.ts'
import { findSignals } from './signals.ts'
import { isAboutInjection } from './subject.ts'
import { findUnseen } from './unseen.ts'

/** Attributes that contain prose which a reader of the page does not see. */
const unseenLabels = /^(?:alt|title|content|summary|placeholder|aria-[a-z]+|data-[a-z-]+)$/i

export const promptInjectionDetector: Detector<PromptInjectionConfig> = {
  ...promptInjectionDescription,
  *detect(document, { config, asset, checkTime }) {
    const training = asset.labels?.some((label) => /security-(?:training|awareness)/.test(label)) === true
    let isAbout: boolean | undefined
    for (const [index, part] of document.parts.entries()) {
      checkTime?.()
      for (const match of findInjections(part, index, config)) {
        if (isWording(match)) isAbout ??= isAboutInjection(document)
        const weighed = isAbout === true && isWording(match) ? toDiscussed(match) : match
        yield training ? { ...weighed, severity: 'INFO' } : weighed
      }
    }
  },
}

/** Types that are not visible wording; hidden text and invisible characters never serve to explain an attack. */
const structural = new Set(['HIDDEN_TEXT', 'UNICODE_TAGS', 'VARIATION_SELECTOR', 'ZERO_WIDTH', 'BIDI'])
const isWording = ({ findingType, confidence }: Match) => confidence >= 0.5 && !structural.has(findingType)

/** On a page about prompt injection, a match is most likely a quoted example, so it is reported with that reason. */
function toDiscussed(match: Match): Match {
  const shown = `${match.shown ?? ''} (${match.findingType} on a page about prompt injection)`.trim()
  return { ...match, findingType: 'DISCUSSED_INJECTION', severity: 'LOW', confidence: 0.5, shown }
}

function* findInjections(part: Part, index: number, config: PromptInjectionConfig): Generator<Match> {
  const canonical = toCanonical(part.text)
  const signals = weigh(findSignals(canonical, part.text), part, config)
  for (const decoded of findDecoded(part.text)) {
    const [surest] = toClusters(findSignals(toCanonical(decoded.text), decoded.text))
    if (surest !== undefined && surest.confidence >= 0.5) {
      const { start, end } = decoded
      signals.push({ rule: 'encoded', type: 'ENCODED', severity: 'HIGH', confidence: 0.9, start, end })
    }
  }
  for (const unseen of findUnseen(part.text)) signals.push({ rule: 'unseen', ...unseen })
  const unseen =
    part.kind === 'hidden' ||
    part.kind === 'comment' ||
    (part.kind === 'attribute' && unseenLabels.test(part.label ?? ''))
  for (const cluster of toClusters(signals)) {
    const hidden = unseen && cluster.confidence >= MIN_WHERE_UNSEEN
    yield {
      part: index,
      findingType: hidden ? 'HIDDEN_TEXT' : cluster.type,
      severity: hidden ? 'CRITICAL' : cluster.severity,
      confidence: hidden ? Math.max(HIDDEN_CONFIDENCE, cluster.confidence) : cluster.confidence,
      start: cluster.start,
      end: cluster.end,
      rule: cluster.rule,
      identity: toCanonical(part.text.slice(cluster.start, cluster.end)).text.replace(/\s+/g, ' ').trim(),
      shown: shownOf(part.text.slice(cluster.start, cluster.end)),
    }
  }
}

/** Factor for the wording model in code, because it was trained on prose. */
const MODEL_IN_CODE = 0.6
const QUOTED_WEIGHT = 0.4
/** Text that readers do not see needs less evidence. */
const MIN_WHERE_UNSEEN = 0.44
const HIDDEN_CONFIDENCE = 0.99

/** Reduces the confidence of role tokens and model signals in code, and of quoted examples. */
function weigh(signals: Signal[], part: Part, config: PromptInjectionConfig): Signal[] {
  const quoted = config.quotedExamples ? [] : signals.filter((signal) => isQuotedExample(part, signal))
  const isQuoted = (signal: Signal) => quoted.some((other) => signal.start < other.end && other.start < signal.end)
  return signals.map((signal) => {
    if (part.kind === 'code' && signal.type === 'ROLE_TOKEN') return { ...signal, confidence: signal.confidence * 0.45 }
    if (part.kind === 'code' && signal.type === 'SUSPICIOUS_WORDING')
      return { ...signal, confidence: signal.confidence * MODEL_IN_CODE }
    if (isQuoted(signal)) return { ...signal, confidence: signal.confidence * QUOTED_WEIGHT, quoted: true }
    return signal
  })
}

/** Displays only the first one or two plain words, because more would pass the attack on. */
function shownOf(text: string): string {
  const [first = ''] = /^(?:\p{L}{1,12}\s){1,2}/u.exec(text.trim()) ?? []
  return `${first.trim()}••• (${text.length} characters)`.trim()
}
