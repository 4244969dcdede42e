import type { RedactedFinding } from '../detectors/detector.ts'
import { toRule } from '../detectors/reasons.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { isWithin } from '../documents/section.ts'
import { ownText, type Safe, type SafeText } from '../kernel/safe-text.ts'
import { severityCodes } from '../store/schema.ts'
import type { Facets } from './facets.store.ts'
import {
  type FindingPatch,
  type FindingRecord,
  readSections,
  toFp,
  toLocation,
  toStoredConfidence,
  withSections,
} from './finding-record.ts'
import type { FindingLedger } from './ledger.store.ts'
import { type FindingStatus, isDecided, type Presence } from './model.ts'

/** The result of running detectors once on one asset. */
export interface Detection {
  asset: {
    id: number
    sourceId: number
    /** When it was last scanned before; findings that are no longer found get it as their last detection. */
    lastScannedAt: number | null
  }
  /** Where it is, and so what is found in it; default: current. */
  presence?: 'current' | 'archived'
  /** Whether earlier versions of it are searched afterwards for what vanished. */
  hasHistory?: boolean
  found: readonly RedactedFinding[]
  /** Types of the detectors that ran; findings of others are left unchanged. */
  examinedTypes: ReadonlySet<string>
  /** Those of them for which absence is evidence: the detector read the whole asset and finished. */
  complete: ReadonlySet<string>
  /** Fingerprints that this run cannot decide, although their detector finished. */
  undecided?: ReadonlySet<string>
  /** Finding types that this run cannot decide. */
  undecidedTypes?: ReadonlySet<string>
  /**
   * Decisions of people on the same values in other forms of this asset (see `partOf` and `absorbs`), by
   * `toDecisionKey`.
   */
  decided?: ReadonlyMap<string, Decision>
  /** Sections of the asset that were not read: findings in them may still exist. */
  unread?: readonly string[]
  scanId: number
  at: number
}

/** Where a finding that vanished can still be read; `gone`: nowhere that the account can see. */
export type Remains = 'history' | 'trash' | 'unknown' | 'gone'

/** Whether a finding that vanishes from its item stays open while an earlier version or the trash has it. */
export const staysWhileReadable = ({ detectorType, severity }: Pick<Facets, 'detectorType' | 'severity'>): boolean =>
  detectorType === 'SECRETS' || (detectorType === 'PII' && severityCodes[severity] >= severityCodes.HIGH)

export interface Decision {
  status: FindingStatus
  actor: SafeText
  reason: SafeText | null
  /** When it ends by itself. */
  until: number | undefined
}

const toDecisionKey = ({ detectorType, findingType, customDetectorKey = '' }: FindingKind, valueFp: number): string =>
  [detectorType, findingType, customDetectorKey, valueFp].join(' ')

type FindingKind = Pick<RedactedFinding, 'detectorType' | 'findingType' | 'customDetectorKey'>

/** The decisions of people on the findings of some assets. */
export function listDecisions(ledger: FindingLedger, assetIds: readonly number[]): Map<string, Decision> {
  const decisions = new Map<string, Decision>()
  for (const record of assetIds.flatMap((id) => ledger.listOfAsset(id))) {
    const { status } = record.facets
    if (record.valueFp === null || !isDecided(status)) continue
    const { actor = ownText('scan'), reason = null } = ledger.lastChange(record.id) ?? {}
    const until = ledger.endOf(record.id)
    decisions.set(toDecisionKey(record.facets, record.valueFp), { status, actor, reason, until })
  }
  return decisions
}

export interface DetectionCounts {
  new: number
  again: number
  resolved: number
}

type SafeFinding = Safe<RedactedFinding>

function toSafeFinding(finding: RedactedFinding): SafeFinding {
  const { customDetectorKey, location, sections, valueFingerprint, valueId } = finding
  const { heading, label, ...place } = location
  return {
    detectorType: toSafeText(finding.detectorType, 'prose'),
    findingType: toSafeText(finding.findingType, 'prose'),
    category: toSafeText(finding.category, 'prose'),
    severity: finding.severity,
    rule: toSafeText(toRule(finding.detectorType, finding.rule), 'key'),
    confidence: finding.confidence,
    location: {
      ...place,
      path: toSafeText(location.path, 'prose'),
      ...(heading === undefined ? {} : { heading: toSafeText(heading, 'prose') }),
      ...(label === undefined ? {} : { label: toSafeText(label, 'prose') }),
    },
    excerpt: toSafeText(finding.excerpt, 'prose', MAX_EXCERPT),
    fingerprint: toSafeText(finding.fingerprint, 'key'),
    ...(sections === undefined ? {} : { sections: sections.map((section) => toSafeText(section, 'key')) }),
    ...(customDetectorKey === undefined ? {} : { customDetectorKey: toSafeText(customDetectorKey, 'prose') }),
    ...(valueFingerprint === undefined ? {} : { valueFingerprint: toSafeText(valueFingerprint, 'key') }),
    ...(valueId === undefined ? {} : { valueId: toSafeText(valueId, 'key') }),
  }
}

const MAX_EXCERPT = 2000

/**
 * Updates the stored findings of an asset to match the detected ones: new ones are inserted, known ones are rewritten
 * only if they differ, resolved ones are reopened, and those missing from a complete run are resolved unless they are
 * in a section that was not read, or may be in an earlier version. A person's FALSE_POSITIVE or IGNORED is kept.
 */
export function applyDetection(ledger: FindingLedger, detection: Detection): DetectionCounts {
  const counts: DetectionCounts = { new: 0, again: 0, resolved: 0 }
  const stored = new Map(ledger.listOfAsset(detection.asset.id).map((record) => [record.fp, record]))
  const seen = new Map<number, SafeFinding>()
  for (const reported of detection.found) {
    const finding = toSafeFinding(reported)
    const fp = toFp(finding.fingerprint)
    if (!seen.has(fp)) seen.set(fp, finding)
  }
  const { sourceId } = detection.asset
  const found = [...seen].map(([fp, finding]) => ({ fp, finding, before: stored.get(fp) }))
  const added = found.filter(({ before }) => before === undefined)
  ledger.facets.learn(added.map(({ finding }) => toNewFacets(sourceId, finding, detection.presence)))
  for (const { fp, finding, before } of found) {
    if (before === undefined) {
      insertFinding(ledger, detection, fp, finding)
      counts.new++
    } else {
      confirmFinding(ledger, detection, before, finding)
      counts.again++
    }
  }
  const undecided = new Set([...(detection.undecided ?? [])].map(toFp))
  for (const record of stored.values()) {
    const { detectorType, findingType } = record.facets
    if (seen.has(record.fp) || !detection.examinedTypes.has(detectorType)) continue
    const isUndecided = undecided.has(record.fp) || detection.undecidedTypes?.has(findingType) === true
    const unread = listUnreadSections(detection, record)
    const isJudged = detection.complete.has(detectorType) && !isUndecided
    const gone = isJudged && unread.length === 0
    const location = isJudged ? onlyIn(record.location, unread) : record.location
    if (gone && detection.hasHistory === true && staysWhileReadable(record.facets)) {
      const presence = record.facets.presence === 'history' ? 'history' : 'unknown'
      keepMissingFinding(ledger, detection, record, { presence, location })
    } else if (handleMissingFinding(ledger, detection, record, gone, { location })) counts.resolved++
  }
  return counts
}

/** Replaces the sections of a location; unchanged if there are none to set and its own are unknown. */
const onlyIn = (location: SafeText | null, sections: readonly string[]): SafeText | null =>
  sections.length === 0 && readSections(location) === undefined ? location : withSections(location, sections)

/** The sections of a finding that were not read; if its sections are unknown, it may be in any of them. */
function listUnreadSections({ unread = [] }: Detection, { location }: FindingRecord): readonly string[] {
  if (unread.length === 0) return []
  return (readSections(location) ?? unread).filter((section) => unread.some((outer) => isWithin(section, outer)))
}

/**
 * Resolves the findings of an asset that are gone, and notes where the others can still be read; undefined leaves one as
 * it is. Returns how many were resolved.
 */
export function resolveFindingsOf(
  ledger: FindingLedger,
  detection: Absence,
  reason: SafeText,
  whereIs: (record: FindingRecord) => Remains | undefined = () => 'gone',
): number {
  let resolved = 0
  for (const record of ledger.listOfAsset(detection.asset.id)) {
    const remains = whereIs(record)
    const location = onlyIn(record.location, [])
    if (remains === 'gone') {
      if (handleMissingFinding(ledger, detection, record, true, { reason, location })) resolved++
    } else if (remains !== undefined) keepMissingFinding(ledger, detection, record, { presence: remains, location })
  }
  return resolved
}

/** Notes that an asset was archived, or is no longer. */
export function moveFindingsOf(ledger: FindingLedger, assetId: number, presence: 'current' | 'archived'): void {
  for (const record of ledger.listOfAsset(assetId)) {
    const { facets } = record
    if (facets.status === 'RESOLVED' || !isListed(facets.presence)) continue
    ledger.update(record, { facets: { ...facets, presence } })
  }
}

const isListed = (presence: Presence) => presence === 'current' || presence === 'archived'

/**
 * Stores what earlier versions of an asset have and its present one does not. What a person resolved stays so. Returns
 * how many findings are new, or open again.
 */
export function addEarlierFindings(
  ledger: FindingLedger,
  detection: Pick<Detection, 'asset' | 'scanId' | 'at' | 'found'>,
): number {
  let added = 0
  for (const finding of detection.found.map(toSafeFinding).filter(staysWhileReadable)) {
    const fp = toFp(finding.fingerprint)
    const before = ledger.find(detection.asset.id, fp)
    if (before === undefined) {
      insertFinding(ledger, { ...detection, presence: 'history' }, fp, finding)
      added++
    } else if (before.facets.status !== 'RESOLVED') {
      if (isListed(before.facets.presence)) continue
      keepMissingFinding(ledger, detection, before, { presence: 'history', location: before.location })
    } else if (ledger.lastDecision(before.id)?.by !== 'person') {
      reopen(ledger, detection, before, { facets: { ...before.facets, presence: 'history' } })
      added++
    }
  }
  return added
}

function findDecision({ decided: known }: Pick<Detection, 'decided'>, finding: SafeFinding): Decision | undefined {
  const valueFp = toFpIfAny(finding.valueFingerprint)
  return valueFp === null ? undefined : known?.get(toDecisionKey(finding, valueFp))
}

const toNewFacets = (sourceId: number, finding: SafeFinding, presence: Presence = 'current'): Facets => ({
  sourceId,
  detectorType: finding.detectorType,
  findingType: finding.findingType,
  category: finding.category,
  customDetectorKey: finding.customDetectorKey ?? ownText(''),
  severity: finding.severity,
  status: 'OPEN',
  presence,
})

type Inserting = Pick<Detection, 'asset' | 'at' | 'decided'> & { presence?: Presence }

function insertFinding(ledger: FindingLedger, detection: Inserting, fp: number, finding: SafeFinding): void {
  const { asset, at, presence } = detection
  const id = ledger.insert({
    assetId: asset.id,
    fp,
    facets: toNewFacets(asset.sourceId, finding, presence),
    firstDetectedAt: at,
    confidence: toStoredConfidence(finding.confidence),
    lastDetectedAt: null,
    resolvedAt: null,
    location: toLocation(finding),
    excerpt: finding.excerpt,
    valueFp: toFpIfAny(finding.valueFingerprint),
    valueId: toFpIfAny(finding.valueId),
  })
  const decision = findDecision(detection, finding)
  const record = decision === undefined ? undefined : ledger.findById(id)
  if (decision === undefined || record === undefined) return
  const { status: to, actor, reason, until } = decision
  ledger.changeStatus(record, { at, to, actor, reason: reason ?? undefined, until })
}

const toFpIfAny = (fingerprint: string | undefined) => (fingerprint === undefined ? null : toFp(fingerprint))

function confirmFinding(
  ledger: FindingLedger,
  detection: Detection,
  before: FindingRecord,
  finding: SafeFinding,
): void {
  const { at, presence = 'current' } = detection
  const unread = listUnreadSections(detection, before)
  const sections =
    unread.length === 0 ? finding.sections : [...new Set([...(finding.sections ?? ['']), ...unread])].sort()
  const patch = {
    facets: {
      ...before.facets,
      findingType: finding.findingType,
      category: finding.category,
      customDetectorKey: finding.customDetectorKey ?? ownText(''),
      severity: finding.severity,
      presence,
    },
    confidence: toStoredConfidence(finding.confidence),
    lastDetectedAt: null,
    location: toLocation({ ...finding, ...(sections === undefined ? {} : { sections }) }),
    excerpt: finding.excerpt,
    valueFp: toFpIfAny(finding.valueFingerprint),
    valueId: toFpIfAny(finding.valueId),
  }
  if (before.facets.status !== 'RESOLVED') {
    ledger.update(before, patch)
    if (isDecided(before.facets.status)) ledger.noteEvidence(before.id, false)
    return
  }
  const decision = findDecision(detection, finding)
  if (decision === undefined) {
    reopen(ledger, detection, before, patch)
    return
  }
  const { status: to, actor, reason, until } = decision
  ledger.changeStatus(before, { at, to, actor, reason: reason ?? undefined, until }, patch)
}

const reopen = (
  ledger: FindingLedger,
  { at, scanId }: Pick<Detection, 'at' | 'scanId'>,
  before: FindingRecord,
  patch: FindingPatch,
) =>
  ledger.changeStatus(before, { at, to: 'OPEN', actor: ownText('scan'), reason: ownText('found again'), scanId }, patch)

type Absence = Pick<Detection, 'asset' | 'at' | 'scanId'>

/** What becomes of a finding's last detection once it is missing. */
const toLastSeen = ({ asset }: Absence, { lastDetectedAt, firstDetectedAt }: FindingRecord): number =>
  lastDetectedAt ?? Math.max(asset.lastScannedAt ?? firstDetectedAt, firstDetectedAt)

/** Notes where a finding can be read that its item no longer has; one that is resolved stays so. */
function keepMissingFinding(
  ledger: FindingLedger,
  absence: Absence,
  record: FindingRecord,
  { presence, location }: { presence: Presence; location: SafeText | null },
): void {
  const { facets } = record
  if (facets.status === 'RESOLVED') return
  ledger.update(record, { facets: { ...facets, presence }, lastDetectedAt: toLastSeen(absence, record), location })
  if (isDecided(facets.status)) ledger.noteEvidence(record.id, false)
}

/** Fixes the time of the last detection, and resolves the finding if it is known to be gone; returns whether it did. */
function handleMissingFinding(
  ledger: FindingLedger,
  absence: Absence,
  record: FindingRecord,
  gone: boolean,
  {
    reason = ownText('no longer found'),
    location = record.location,
  }: { reason?: SafeText; location?: SafeText | null } = {},
): boolean {
  const { at, scanId } = absence
  const frozen = { lastDetectedAt: toLastSeen(absence, record), location }
  const { status } = record.facets
  if (!gone || isDecided(status) || status === 'RESOLVED') {
    ledger.update(record, frozen)
    if (gone && status !== 'RESOLVED') ledger.noteEvidence(record.id, true)
    return false
  }
  ledger.changeStatus(record, { at, to: 'RESOLVED', actor: ownText('scan'), reason, scanId }, frozen)
  return true
}
