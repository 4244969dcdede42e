import { hash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { biConnector } from '../../src/connectors/bi/index.ts'
import type { AssetDraft, Connector } from '../../src/connectors/connector.ts'
import { wikiConnector } from '../../src/connectors/wiki/index.ts'
import type { Detector } from '../../src/detectors/detector.ts'
import { piiDetector } from '../../src/detectors/pii/index.ts'
import { promptInjectionDetector } from '../../src/detectors/prompt-injection/index.ts'
import { runDetectors } from '../../src/detectors/runner.ts'
import { secretsDetector } from '../../src/detectors/secrets/index.ts'
import type { AssayDocument } from '../../src/documents/document.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { type SampleSource, startSampleTenants } from '../../src/sample/tenants.ts'
import { decoys, planted, plantedPersonalData, plantedSecrets } from './planted-content.ts'

const detectors = [secretsDetector, piiDetector, promptInjectionDetector].map((detector) => ({
  detector: detector as unknown as Detector,
  config: detector.config.parse({}),
}))

interface Scanned {
  assets: Map<string, AssetDraft>
  documents: Map<string, AssayDocument>
}

async function scan(connector: Connector, { config }: SampleSource): Promise<Scanned> {
  const { sampling: _, schedule: __, detectors: ___, ...payload } = config
  const session = connector.open({
    config: connector.payload.parse(payload),
    sampling: { strategy: 'ALL', limit: 100, seed: 1 },
    signal: new AbortController().signal,
    log: silentLog,
    now: Date.now,
    rememberTenantId: () => {},
  })
  const assets = new Map<string, AssetDraft>()
  const documents = new Map<string, AssayDocument>()
  const { scopes } = await session.scopes()
  for (const scope of scopes) {
    for await (const batch of session.crawl({ scope, known: () => new Map() })) {
      for (const asset of batch.assets) {
        assets.set(asset.key, asset)
        const document = await asset.document?.()
        if (document !== undefined) documents.set(asset.key, document)
      }
    }
  }
  await session.close()
  return { assets, documents }
}

const sources = new Map<string, Scanned>()
const refused: string[] = []

beforeAll(async () => {
  const tenants = await startSampleTenants()
  const [wiki, bi] = tenants.sources
  if (wiki === undefined || bi === undefined) throw new Error('the sample has two sources')
  sources.set('wiki', await scan(wikiConnector as unknown as Connector, wiki))
  sources.set('bi', await scan(biConnector as unknown as Connector, bi))
  for (const { status, url } of [...tenants.wiki.requests, ...tenants.bi.requests]) {
    if (status >= 400) refused.push(`${status} ${url}`)
  }
  await tenants.close()
})

const documentOf = (key: string) => sources.get(key.startsWith('wiki:') ? 'wiki' : 'bi')?.documents.get(key)

function findAll(): string[] {
  return [...sources.values()].flatMap(({ assets, documents }) =>
    [...documents].flatMap(([key, document]) => {
      const { kind = '', name = '', url = '', facts } = assets.get(key) ?? {}
      const labels = Array.isArray(facts?.labels) ? { labels: facts.labels as string[] } : {}
      const { findings } = runDetectors(document, {
        asset: { key, kind, name, url, ...labels },
        detectors,
        now: Date.now(),
        fingerprint: (canonical) => hash('sha256', canonical).slice(0, 12),
      })
      return findings.map(({ detectorType, findingType }) => `${detectorType} ${findingType} ${key}`)
    }),
  )
}

test('the connectors send only requests that are in the contracts', () => {
  expect(refused).toEqual([])
})

test('content detectors find the planted values and nothing else', () => {
  const types = detectors.map(({ detector }) => detector.type)
  const expected = planted
    .filter(({ detectorType }) => types.includes(detectorType))
    .map(({ detectorType, findingType, assetKey }) => `${detectorType} ${findingType} ${assetKey}`)
  expect(findAll().sort()).toEqual(expected.sort())
})

describe('the list of planted values', () => {
  const everything = [...planted, ...decoys]

  test.each(everything.map((item) => [`${item.detectorType}: ${item.note}`, item] as const))(
    'names an existing asset: %s',
    (_, { assetKey, source }) => {
      expect([...(sources.get(source)?.assets.keys() ?? [])]).toContain(assetKey)
    },
  )

  test.each(
    [...planted, ...decoys]
      .filter(({ raw, detectorType }) => raw !== undefined && detectorType !== 'BROKEN_LINKS')
      .map((item) => [item.note, item] as const),
  )('names a value that is in its asset: %s', (_, { assetKey, raw = '' }) => {
    const text =
      documentOf(assetKey)
        ?.parts.map((part) => part.text)
        .join('\n') ?? ''
    expect(text).toContain(raw)
  })

  test.each(
    planted
      .filter(
        ({ raw, source, detectorType }) => raw !== undefined && source === 'wiki' && detectorType === 'BROKEN_LINKS',
      )
      .map((item) => [item.raw ?? '', item] as const),
  )('names a link that is on its page: %s', (raw, { assetKey }) => {
    const links = documentOf(assetKey)?.links ?? []
    expect(links.some(({ url, reference }) => url === raw || reference?.anchor === raw)).toBe(true)
  })

  test('has strings to search for in stored bytes', () => {
    const secrets = plantedSecrets()
    expect(secrets.length).toBeGreaterThan(25)
    expect(secrets.every((needle) => needle.length >= 8 && !needle.includes('\n'))).toBe(true)
    expect(plantedPersonalData().length).toBeGreaterThan(25)
  })

  test('covers every detector that is enabled by default, in both tenants', () => {
    const kinds = new Set(planted.map(({ source, detectorType }) => `${source} ${detectorType}`))
    expect(kinds.size).toBe(11)
  })
})
