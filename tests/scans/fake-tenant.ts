import { hash } from 'node:crypto'
import { z } from 'zod'
import type { AssetDraft, Batch, Connector, LinkDraft, ScanWarning } from '../../src/connectors/connector.ts'
import { brokenLinksDetector } from '../../src/detectors/broken-links/index.ts'
import type { Detector, RedactedFinding, SourceDetector } from '../../src/detectors/detector.ts'
import type { Part } from '../../src/documents/document.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import type { Plugins } from '../../src/sources/plugins.ts'

export interface FakePage {
  id: string
  body: string
  /** Instead of one part that is the body. */
  parts?: Part[]
  title?: string
  url?: string
  links?: LinkDraft[]
  facts?: Record<string, unknown>
  kind?: AssetDraft['kind']
  unread?: AssetDraft['unread']
  contentCreatedAt?: number
  contentUpdatedAt?: number
}

export interface FakeSpace {
  key: string
  pages: FakePage[]
}

/** A tenant in memory whose content and behaviour a test can change between and during scans. */
export interface FakeTenant {
  spaces: FakeSpace[]
  pageSize: number
  /** Bodies that were fetched, by page id. */
  fetched: string[]
  /** Called before each listing page is handed out. */
  onPage?: (space: string, index: number) => void | Promise<void>
  /** Called before each body is handed out. */
  onBody?: (id: string) => void | Promise<void>
  warnings?: (space: string) => ScanWarning[]
}

export function createTenant(counts: Readonly<Record<string, number>>, pageSize = 5): FakeTenant {
  const spaces = Object.entries(counts).map(([key, count]) => ({
    key,
    pages: Array.from({ length: count }, (_, index) => ({
      id: `${key}-${index + 1}`,
      body: `Text of page ${index + 1} with word:${key.toLowerCase()}${index + 1} in it.`,
    })),
  }))
  return { spaces, pageSize, fetched: [] }
}

export const refuse = (reason: string, retryAfterSeconds?: number) =>
  new AppError('unavailable', `The platform says ${reason}; try again.`, {
    reason,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })

const payload = z.strictObject({
  type: z.literal('FAKE'),
  required: z.strictObject({ base_url: z.string().url() }),
  masked: z.strictObject({ token: z.string().trim().min(1) }),
  optional: z.strictObject({ spaces: z.array(z.string()).optional(), depth: z.int().min(1).optional() }).optional(),
})

export function fakeConnector(tenant: FakeTenant): Connector<z.infer<typeof payload>> {
  return {
    type: 'FAKE',
    title: 'Fake tenant',
    payload,
    orderByColumns: ['modifiedDate', 'title'],
    defaultDetectors: ['WORDS', 'BROKEN_LINKS'],
    leavesOut: ({ optional }) => ({ kinds: [], scopes: optional?.spaces !== undefined }),
    scopeSettings: ({ required, optional }) => [required, optional?.spaces],
    credentialOrigins: ({ required }) => [new URL(required.base_url).origin],
    open: ({ config, sampling }) => ({
      scopes: async () => {
        const wanted = config.optional?.spaces
        const spaces = tenant.spaces.filter(({ key }) => wanted?.includes(key) ?? true)
        if (config.masked.token === 'wrong') throw refuse('auth_failed')
        return { scopes: spaces.map(({ key }) => ({ key, name: `Space ${key}` })), warnings: [] }
      },
      crawl: ({ scope, cursor, known }) => crawl(scope.key, cursor, known, sampling.strategy !== 'ALL'),
      test: async () => [{ name: 'sign in', status: config.masked.token === 'wrong' ? 'denied' : 'ok' }],
      close: async () => {},
    }),
  }

  async function* crawl(
    key: string,
    cursor: string | undefined,
    known: (keys: readonly string[]) => ReadonlyMap<string, string>,
    sampled: boolean,
  ): AsyncGenerator<Batch> {
    const pagesOf = () => tenant.spaces.find((space) => space.key === key)?.pages ?? []
    for (let at = Number(cursor ?? 0); ; at += tenant.pageSize) {
      await tenant.onPage?.(key, at / tenant.pageSize)
      const pages = pagesOf().slice(at, at + tenant.pageSize)
      const more = at + tenant.pageSize < pagesOf().length && !sampled
      const drafts = pages.map(toDraft)
      const unchanged = known(drafts.map((draft) => draft.key))
      yield {
        assets: drafts.map((draft) => {
          if (unchanged.get(draft.key) !== draft.checksum) return draft
          const { document: _, ...skeleton } = draft
          return skeleton
        }),
        cursor: more ? String(at + tenant.pageSize) : null,
        warnings: at === 0 ? (tenant.warnings?.(key) ?? []) : [],
      }
      if (!more) return
    }

    function toDraft({
      id,
      body,
      parts = [{ kind: 'text', text: body, path: 'body' }],
      title = `Page ${id}`,
      url = `https://fake.example/${id}`,
      links = [],
      facts = {},
      kind = 'wiki.page',
      unread = [],
      ...dates
    }: FakePage): AssetDraft {
      return {
        key: `fake:page:${id}`,
        kind,
        name: title,
        url,
        container: `Space ${key}`,
        checksum: hash('sha256', JSON.stringify([title, body, links, facts, dates])),
        links,
        ...dates,
        unread,
        facts: { id, spaceKey: key, ...facts },
        document: async () => {
          await tenant.onBody?.(id)
          tenant.fetched.push(id)
          return { mime: 'text/plain', parts, links: [] }
        },
      }
    }
  }
}

/** Finds `word:xyz`; `bad:` and `worse:` are graver. */
export const wordDetector: Detector<{ least?: number | undefined }> = {
  type: 'WORDS',
  title: 'Words',
  description: 'Finds marked words.',
  category: 'TEST',
  version: 1,
  reads: 'documents',
  config: z.strictObject({ least: z.int().min(1).optional() }),
  findingTypes: ['WORD'],
  detect: () => [],
}

export const detectWords: Detect = async (document, { asset }) => {
  const text = document.parts.map((part) => part.text).join('\n')
  const findings = [...text.matchAll(/\b(word|bad|worse):(\w+)/g)].map(([, kind, value]): RedactedFinding => {
    const identity = `${asset.key}|${value}`
    return {
      detectorType: 'WORDS',
      findingType: 'WORD',
      category: 'TEST',
      severity: kind === 'worse' ? 'CRITICAL' : kind === 'bad' ? 'HIGH' : 'LOW',
      confidence: 0.9,
      location: { path: 'body' },
      excerpt: 'a word: ****',
      fingerprint: hash('sha256', identity).slice(0, 12),
    }
  })
  const warnings = text.includes('too long') ? [{ code: 'truncated', message: 'The document is too large.' }] : []
  return { findings, warnings, values: [] }
}

export const pluginsFor = (tenant: FakeTenant): Plugins => ({
  connectors: [fakeConnector(tenant) as Connector],
  detectors: [wordDetector as Detector, brokenLinksDetector as SourceDetector],
})

export const fakeConfig = (more: Record<string, unknown> = {}) => ({
  type: 'FAKE',
  required: { base_url: 'https://fake.example' },
  masked: { token: 'fake-token-0001' },
  ...more,
})
