import { createRandom } from '../kernel/random.ts'

const DAY = 86_400_000
/** The data ends on a fixed day, so that the same seed always gives the same lines. */
const END = Date.UTC(2026, 10, 1)
const DAYS = 730
const FINDINGS_PER_ASSET = 5

/** Finding types of each detector; in all lists, the most frequent come first. */
const detectors = [
  { type: 'PII', category: 'PRIVACY', findings: ['EMAIL', 'PHONE', 'IP_ADDRESS', 'IBAN', 'CREDIT_CARD', 'US_SSN'] },
  { type: 'BROKEN_LINKS', category: 'CONTENT', findings: ['HTTP_404', 'PAGE_MISSING', 'ANCHOR_MISSING', 'TIMEOUT'] },
  { type: 'CONTENT_QUALITY', category: 'QUALITY', findings: ['STALE', 'NO_OWNER', 'PLACEHOLDER', 'EMPTY'] },
  { type: 'SECRETS', category: 'SECURITY', findings: ['PASSWORD', 'JWT', 'GITHUB_TOKEN', 'AWS_ACCESS_KEY'] },
  { type: 'DUPLICATE', category: 'QUALITY', findings: ['NEAR_DUPLICATE', 'EXACT_DUPLICATE'] },
  { type: 'PROMPT_INJECTION', category: 'SECURITY', findings: ['INSTRUCTION_OVERRIDE', 'HIDDEN_TEXT'] },
  { type: 'YARA', category: '', findings: ['SUSPICIOUS_FILE'] },
] as const
const severities = ['LOW', 'MEDIUM', 'INFO', 'HIGH', 'CRITICAL'] as const
const kinds = ['wiki.page', 'wiki.attachment', 'bi.report', 'wiki.comments', 'bi.dataset'] as const
const containers = [
  ...['Engineering', 'Operations', 'People', 'Retail', 'Finance', 'Legal', 'Marketing', 'Sales', 'Support', 'Research'],
  ...['Security', 'Logistics', 'Design', 'Quality', 'Facilities', 'Training', 'Partners', 'Archive', 'Travel', 'Board'],
]

/** One line of the import format; all members except `asset` are plain values. */
export interface GeneratedFinding {
  asset: { key: string; kind: string; name: string; url?: string; container: string; contentUpdatedAt?: string }
  detectorType: string
  findingType: string
  category?: string
  severity: string
  confidence: number
  status: string
  firstDetectedAt: string
  lastDetectedAt: string
  resolvedAt?: string
  customDetectorKey?: string
  fingerprint: string
}

/**
 * Generates findings over two years, roughly in chronological order, mostly in office hours, with 3 % reported late;
 * the same count and seed give the same findings.
 */
export function* generateFindings(count: number, seed: number): Generator<GeneratedFinding> {
  const random = createRandom(seed)
  /** An index below `length`; lower ones are more frequent. */
  const skewed = (length: number) => Math.floor(random() ** 2 * length)
  const assetCount = Math.max(1, Math.ceil(count / FINDINGS_PER_ASSET))
  for (let index = 0; index < count; index++) {
    const late = random() < 0.03 ? Math.floor(random() * 90) : 0
    const day = Math.max(0, Math.floor((index * DAYS) / count) - late)
    const firstDetectedAt = END - (DAYS - day) * DAY + toTimeOfDay(random)
    const detector = detectors[skewed(detectors.length)] ?? detectors[0]
    const findingType = detector.findings[skewed(detector.findings.length)] ?? detector.findings[0]
    const custom = random() < 0.02
    const category = detector.category === '' ? {} : { category: detector.category }
    yield {
      asset: toAsset(skewed(assetCount), seed),
      ...(custom
        ? { detectorType: 'CUSTOM', findingType: 'CUSTOM', customDetectorKey: `rule-${1 + skewed(8)}` }
        : { detectorType: detector.type, findingType, ...category }),
      severity: severities[skewed(severities.length)] ?? 'LOW',
      confidence: Math.round((0.5 + random() / 2) * 10_000) / 10_000,
      ...toCourse(random, firstDetectedAt),
      fingerprint: `${seed}-${index}`,
    }
  }
}

/** The status and dates of a finding. */
function toCourse(random: () => number, firstDetectedAt: number) {
  const state = random()
  const until = (days: number) => Math.min(END, firstDetectedAt + Math.floor(random() * days * DAY))
  const dated = (lastDetectedAt: number) => ({
    firstDetectedAt: toInstant(firstDetectedAt),
    lastDetectedAt: toInstant(lastDetectedAt),
  })
  if (state < 0.3) {
    const resolvedAt = until(60)
    return { status: 'RESOLVED', ...dated(resolvedAt), resolvedAt: toInstant(resolvedAt) }
  }
  const status = state < 0.36 ? 'FALSE_POSITIVE' : state < 0.4 ? 'IGNORED' : 'OPEN'
  return { status, ...dated(until(400)) }
}

/** 7 of 8 times are between 8:00 and 18:00 UTC. */
function toTimeOfDay(random: () => number): number {
  const office = random() < 0.875
  const hour = office ? 8 + random() * 10 : random() * 24
  return Math.floor(hour * 3_600_000)
}

function toAsset(index: number, seed: number): GeneratedFinding['asset'] {
  const kind = kinds[index % kinds.length] ?? kinds[0]
  const container = containers[(index * 7 + (index >> 4)) % containers.length] ?? ''
  return {
    key: `generated:${seed}:${index}`,
    kind,
    name: `${container} ${index}`,
    url: `https://example.com/${seed}/${index}`,
    container,
    contentUpdatedAt: toInstant(END - ((index * 7919) % (3 * 365)) * DAY),
  }
}

const toInstant = (ms: number) => new Date(ms).toISOString()
