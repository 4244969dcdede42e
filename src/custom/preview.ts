import type { ConnectorSession } from '../connectors/connector.ts'
import { toAssetFacts } from '../connectors/facts.ts'
import { customDetector } from '../detectors/custom/index.ts'
import type { CustomDefinition } from '../detectors/custom/rule.ts'
import type { AssetFacts, RedactedFinding } from '../detectors/detector.ts'
import { createDetectorPool, type DetectorPool } from '../detectors/pool.ts'
import type { AssayDocument } from '../documents/document.ts'
import { AppError } from '../kernel/errors.ts'
import { line } from '../kernel/shown.ts'
import type { ReadContext } from '../operation/context.ts'
import type { SourceRecord } from '../sources/model.ts'
import type { Plugins } from '../sources/plugins.ts'
import { openConfig } from '../sources/secrets.ts'
import { toSubject } from './checks.ts'
import type { Example } from './model.ts'

const SHOWN = 20
const MOST_WARNINGS = 20
const LONGEST_MS = 60_000
/** How long threads that nobody uses are kept, and how many. */
const WARM_MS = 10_000
const THREADS = 2
/** A rule that finds something in more of the assets is hardly what was meant. */
const BROAD_SHARE = 0.5
const LEAST_FOR_BROAD = 10

export interface PreviewSample extends Pick<RedactedFinding, 'findingType' | 'excerpt' | 'location'> {
  asset: Pick<AssetFacts, 'key' | 'kind' | 'name' | 'url' | 'container'>
}

export interface Preview {
  examined: number
  matched: number
  hits: number
  /** Undefined while too few assets were seen. */
  tooBroad?: boolean
  samples: PreviewSample[]
  warnings: { code: string; message: string }[]
}

interface Warm {
  pool: DetectorPool
  visitors: number
  cooling?: NodeJS.Timeout
}

const warmPools = new WeakMap<ReadContext['vault'], Warm>()

/** The threads of the preview before, while they are warm: somebody who tries a rule out asks again and again. */
function enterPool(vault: ReadContext['vault']): { pool: DetectorPool; leave(): void } {
  const found = warmPools.get(vault)
  const warm: Warm = found ?? {
    pool: createDetectorPool({ fingerprintKey: vault.fingerprintKey(), size: THREADS }),
    visitors: 0,
  }
  if (found === undefined) warmPools.set(vault, warm)
  warm.visitors++
  clearTimeout(warm.cooling)
  return {
    pool: warm.pool,
    leave: () => {
      if (--warm.visitors > 0) return
      warm.cooling = setTimeout(() => {
        warmPools.delete(vault)
        void warm.pool.close()
      }, WARM_MS)
      warm.cooling.unref()
    },
  }
}

/** Runs a detector over texts and over some assets of a source, and keeps nothing. */
export async function previewDetector(
  definition: CustomDefinition,
  asked: { texts: readonly Example[]; source?: SourceRecord | undefined; limit: number; plugins: Plugins },
  context: ReadContext,
): Promise<Preview> {
  const preview: Preview = { examined: 0, matched: 0, hits: 0, samples: [], warnings: [] }
  const { pool, leave } = enterPool(context.vault)
  try {
    for (const text of asked.texts) {
      const { document, asset } = toSubject(text)
      await look(pool, definition, document, asset, preview, context)
    }
    if (asked.source !== undefined) {
      await lookAtSource(pool, definition, { ...asked, source: asked.source }, preview, context)
    }
  } finally {
    leave()
  }
  return preview.examined < LEAST_FOR_BROAD
    ? preview
    : { ...preview, tooBroad: preview.matched > preview.examined * BROAD_SHARE }
}

async function look(
  pool: DetectorPool,
  definition: CustomDefinition,
  document: AssayDocument,
  asset: AssetFacts,
  preview: Preview,
  { now }: ReadContext,
): Promise<void> {
  const detectors = [{ type: customDetector.type, config: { definitions: [definition] } }]
  const { findings, warnings } = await pool.run(document, { asset, detectors, now: now() })
  preview.examined++
  preview.hits += findings.length
  if (findings.length > 0) preview.matched++
  for (const { code, message } of warnings) warn(preview, { code, message })
  const { key, kind, name, url, container } = asset
  for (const { findingType, excerpt, location } of findings.slice(0, SHOWN - preview.samples.length)) {
    const shown = { key, kind, name, url, ...(container === undefined ? {} : { container }) }
    preview.samples.push({ asset: shown, findingType, excerpt, location })
  }
}

async function lookAtSource(
  pool: DetectorPool,
  definition: CustomDefinition,
  { source, limit, plugins }: { source: SourceRecord; limit: number; plugins: Plugins },
  preview: Preview,
  context: ReadContext,
): Promise<void> {
  const { connector, payload } = openConfig(plugins, context.vault, source)
  const deadline = AbortSignal.timeout(LONGEST_MS)
  const session = connector.open({
    config: payload,
    sampling: { strategy: 'RANDOM', limit, seed: 1 },
    signal: AbortSignal.any([context.signal, deadline]),
    log: context.log,
    now: context.now,
    ...(source.tenantId === null ? {} : { tenantId: source.tenantId }),
    rememberTenantId: () => {},
  })
  const least = preview.examined
  try {
    for await (const { document, asset } of readSome(session, preview)) {
      await look(pool, definition, document, asset, preview, context)
      context.progress({ done: preview.examined - least, total: limit, message: line`assets looked at` })
      if (preview.examined - least >= limit) return
    }
  } catch (error) {
    if (!deadline.aborted) throw error
    const message = `Only ${preview.examined - least} assets could be read in a minute; the counts are of these.`
    warn(preview, { code: 'truncated', message })
  } finally {
    await session.close()
  }
}

/** The readable assets of a session; what cannot be read is passed over with a warning. */
async function* readSome(
  session: ConnectorSession,
  preview: Preview,
): AsyncGenerator<{ document: AssayDocument; asset: AssetFacts }> {
  const { scopes } = await session.scopes()
  for (const scope of scopes) {
    for await (const batch of session.crawl({ scope, known: () => new Map() })) {
      for (const draft of batch.assets) {
        try {
          const document = await draft.document?.()
          if (document !== undefined) yield { document, asset: toAssetFacts(draft) }
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          warn(preview, { code: 'unreadable', message: error.message })
        }
      }
    }
  }
}

function warn({ warnings }: Preview, warning: { code: string; message: string }): void {
  const isKnown = warnings.some(({ code, message }) => code === warning.code && message === warning.message)
  if (!isKnown && warnings.length < MOST_WARNINGS) warnings.push(warning)
}
