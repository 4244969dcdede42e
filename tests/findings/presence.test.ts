import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { RedactedFinding } from '../../src/detectors/detector.ts'
import { saveAsset } from '../../src/findings/assets.store.ts'
import {
  addEarlierFindings,
  applyDetection,
  moveFindingsOf,
  type Remains,
  resolveFindingsOf,
} from '../../src/findings/detected.ts'
import { toFp } from '../../src/findings/finding-record.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import type { Finding, FindingDetail, FindingStatus, Presence } from '../../src/findings/model.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import { caller, openContext } from '../support/context.ts'
import { cases } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'

/** What may be planted in an item, and whether it stays open while it can be read somewhere. */
const kinds = [
  { detectorType: 'SECRETS', severity: 'LOW', stays: true },
  { detectorType: 'PII', severity: 'HIGH', stays: true },
  { detectorType: 'PII', severity: 'MEDIUM', stays: false },
  { detectorType: 'CONTENT_QUALITY', severity: 'CRITICAL', stays: false },
] as const
const planted = Array.from({ length: 8 }, (_, index) => ({
  ...(kinds[index % kinds.length] ?? kinds[0]),
  fingerprint: (index + 1).toString(16).padStart(12, '0'),
}))
type Planted = (typeof planted)[number]

const toFound = ({ detectorType, severity, fingerprint }: Planted): RedactedFinding => ({
  detectorType,
  findingType: `TYPE_${detectorType}`,
  category: 'SECURITY',
  severity,
  confidence: 1,
  location: { path: '' },
  excerpt: `‹${fingerprint}›`,
  fingerprint,
})

function openItem() {
  const context = openContext()
  const { store, clock } = context
  const ask = caller(operations, context)
  const asset = store.write((writer) => {
    const source = { uid: 'u', name: 'wiki', type: 'WIKI', config: {}, secrets: {}, nextRunAt: null }
    const sourceId = insertSource(writer, source, 0)
    const kind = 'wiki.page' as const
    const draft = { key: safe('k'), kind, name: safe('n'), url: safe(''), checksum: safe(''), links: [] }
    const seen = { draft, sourceId, scopeKey: safe(''), scanId: 1, at: 0, detectorsHash: null, scanned: true }
    return { id: FindingLedger.keep(writer, 0, ({ facets }) => saveAsset(writer, facets, seen)), sourceId }
  })
  const at = () => ({ asset: { ...asset, lastScannedAt: null }, scanId: 1, at: clock.now })
  const keep = <T>(work: (ledger: FindingLedger) => T) =>
    store.write((writer) => FindingLedger.keep(writer, clock.now, work))
  const types = new Set(kinds.map(({ detectorType }) => detectorType))
  return {
    clock,
    ask,
    scan: (found: readonly Planted[], presence: 'current' | 'archived' = 'current', hasHistory = true) =>
      keep((ledger) =>
        applyDetection(ledger, {
          ...at(),
          presence,
          hasHistory,
          found: found.map(toFound),
          examinedTypes: types,
          complete: types,
        }),
      ),
    settle: (where: (fingerprint: number) => Remains | undefined) =>
      keep((ledger) => resolveFindingsOf(ledger, at(), safe('no longer found'), ({ fp }) => where(fp))),
    addEarlier: (found: readonly Planted[]) =>
      keep((ledger) => addEarlierFindings(ledger, { ...at(), found: found.map(toFound) })),
    move: (presence: 'current' | 'archived') => keep((ledger) => moveFindingsOf(ledger, asset.id, presence)),
    async list() {
      const { items } = (await ask('search_findings', { limit: 100 })) as { items: Finding[] }
      return items
    },
    detail: async (id: string) => (await ask('get_finding', { id })) as FindingDetail,
  }
}

const brief = ({ status, presence }: Pick<Finding, 'status' | 'presence'>) => `${status} ${presence}`
const [secret, identity, mild, poor] = planted as [Planted, Planted, Planted, Planted]

describe('a finding that vanishes from its item', () => {
  it('stays open while an earlier version has it, and is resolved once none has', async () => {
    const item = openItem()
    item.scan([secret, identity, mild, poor])
    item.clock.now += 1000
    expect(item.scan([]).resolved).toBe(2)
    const states = async () => (await item.list()).map(brief).sort()
    expect(await states()).toEqual(['OPEN unknown', 'OPEN unknown', 'RESOLVED current', 'RESOLVED current'])
    expect(item.settle(() => 'history')).toBe(0)
    expect((await states()).slice(0, 2)).toEqual(['OPEN history', 'OPEN history'])
    item.clock.now += 1000
    expect(item.settle(() => 'gone')).toBe(2)
    expect((await states()).every((state) => state.startsWith('RESOLVED'))).toBe(true)
    const history = (await item.list()).find(({ detectorType }) => detectorType === 'SECRETS')
    const { history: changes } = await item.detail(history?.id ?? '')
    expect(changes.map(({ from, to, presence }) => [from, to, presence])).toEqual([
      ['OPEN', 'OPEN', 'unknown'],
      ['OPEN', 'OPEN', 'history'],
      ['OPEN', 'RESOLVED', undefined],
    ])
  })

  it('is resolved at once where earlier versions are not read', async () => {
    const item = openItem()
    item.scan([secret])
    expect(item.scan([], 'current', false).resolved).toBe(1)
    expect((await item.list()).map(brief)).toEqual(['RESOLVED current'])
  })

  it('stays as a person decided while an earlier version has it', async () => {
    const item = openItem()
    item.scan([secret, identity])
    const [one, other] = await item.list()
    await item.ask('update_finding', { id: one?.id, status: 'RESOLVED', reason: 'rotated' })
    await item.ask('update_finding', { id: other?.id, status: 'IGNORED', reason: 'a sample' })
    item.scan([])
    item.settle(() => 'history')
    expect(item.addEarlier([secret, identity])).toBe(0)
    expect((await item.list()).map(brief).sort()).toEqual(['IGNORED history', 'RESOLVED current'])
  })
})

/** What somebody who writes every step on paper knows of one finding. */
interface Paper {
  status: FindingStatus
  presence: Presence
  byPerson: boolean
}

/** One random history of an item, its versions and its trash; returns what differs from the paper. */
async function runHistory(seed: number, steps: number): Promise<string[]> {
  const random = createRandom(seed)
  const chance = (share: number) => random() < share
  const item = openItem()
  const papers = new Map<string, Paper>()
  const differences: string[] = []
  let present: Planted[] = []
  let presence: 'current' | 'archived' = 'current'
  const listOpen = (stays: boolean) =>
    planted.filter(
      (one) => one.stays === stays && !['RESOLVED', undefined].includes(papers.get(one.fingerprint)?.status),
    )
  const see = (found: readonly Planted[], where: Presence) => {
    for (const { fingerprint } of found) {
      const paper = papers.get(fingerprint)
      if (paper === undefined) papers.set(fingerprint, { status: 'OPEN', presence: where, byPerson: false })
      else if (paper.status === 'IGNORED') paper.presence = where
      else Object.assign(paper, { status: 'OPEN', presence: where, byPerson: false })
    }
  }
  const resolve = ({ fingerprint }: Planted) => {
    const paper = papers.get(fingerprint)
    if (paper?.status === 'OPEN') Object.assign(paper, { status: 'RESOLVED', byPerson: false })
  }
  const lookFor = (one: Planted, remains: Remains) => {
    const paper = papers.get(one.fingerprint)
    if (remains === 'gone') resolve(one)
    else if (paper !== undefined) paper.presence = remains
  }
  for (let step = 0; step < steps; step++) {
    item.clock.now += Math.floor(random() * 1000)
    const turn = random()
    if (turn < 0.5) {
      present = planted.filter(() => chance(0.4))
      if (chance(0.3)) presence = presence === 'current' ? 'archived' : 'current'
      const missing = (one: Planted) => !present.includes(one)
      for (const one of listOpen(false).filter(missing)) resolve(one)
      for (const { fingerprint } of listOpen(true).filter(missing)) {
        const paper = papers.get(fingerprint)
        if (paper !== undefined && paper.presence !== 'history') paper.presence = 'unknown'
      }
      see(present, presence)
      item.scan(present, presence)
    } else if (turn < 0.75) {
      // Each that vanished is looked for; at times the platform refuses to say.
      const vanished = listOpen(true).filter((one) => !present.includes(one))
      const places = new Map(
        vanished.map((one): [number, Remains] => {
          const remains = (['history', 'trash', 'unknown', 'gone'] as const)[Math.floor(random() * 4)] ?? 'gone'
          lookFor(one, remains)
          return [toFp(one.fingerprint), remains]
        }),
      )
      item.settle((fp) => places.get(fp))
    } else if (turn < 0.85) {
      const [one] = (await item.list()).filter(({ status }) => status === 'OPEN' && chance(0.5))
      const to = chance(0.5) ? 'RESOLVED' : 'IGNORED'
      if (one === undefined) continue
      await item.ask('update_finding', { id: one.id, status: to, reason: 'known' })
      const paper = papers.get(one.fingerprint)
      if (paper !== undefined) Object.assign(paper, { status: to, byPerson: true })
    } else if (turn < 0.93) {
      const earlier = planted.filter(() => chance(0.3))
      for (const one of earlier) {
        const paper = papers.get(one.fingerprint)
        const isKnown = paper !== undefined && paper.status !== 'RESOLVED'
        if (!one.stays || (paper?.status === 'RESOLVED' && paper.byPerson)) continue
        if (isKnown && (paper.presence === 'current' || paper.presence === 'archived')) continue
        see([one], 'history')
      }
      item.addEarlier(earlier)
    } else {
      presence = presence === 'current' ? 'archived' : 'current'
      for (const paper of papers.values())
        if (paper.status !== 'RESOLVED' && (paper.presence === 'current' || paper.presence === 'archived'))
          paper.presence = presence
      item.move(presence)
    }
    const stored = new Map((await item.list()).map((finding) => [finding.fingerprint, finding]))
    for (const [fingerprint, paper] of papers) {
      const finding = stored.get(fingerprint)
      const shown = finding === undefined ? 'none' : brief(finding)
      if (shown !== brief(paper))
        differences.push(`seed ${seed} step ${step} ${fingerprint}: ${shown}, not ${brief(paper)}`)
      const changes = finding === undefined ? [] : (await item.detail(finding.id)).history
      const last = changes.findLast((change) => change.presence !== undefined)
      if (last !== undefined && last.presence !== paper.presence) differences.push(`seed ${seed} step ${step}: history`)
    }
    if (stored.size !== papers.size) differences.push(`seed ${seed} step ${step}: ${stored.size} findings`)
  }
  return differences
}

describe('random histories of an item', () => {
  it('have the status and presence of every finding that a plain model has', async () => {
    const differences: string[] = []
    for (let seed = 1; seed <= cases(12, 500); seed++) differences.push(...(await runHistory(seed, 40)))
    expect(differences).toEqual([])
  })
})
