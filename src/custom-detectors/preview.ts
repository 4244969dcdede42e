import {
  hideInAsset,
  openSafeSession,
  type SafeAsset,
  type SafeSession,
  type SafeSessionOptions,
} from '../connectors/safe-session.ts'
import { customDetector } from '../detectors/custom/index.ts'
import type { CustomDefinition } from '../detectors/custom/rule.ts'
import type { AssetFacts, RedactedFinding } from '../detectors/detector.ts'
import { createNumberer } from '../detectors/fingerprint.ts'
import { ReportedValues } from '../detectors/reported-values.ts'
import { createDetectorRunner, type DetectorRunner } from '../detectors/request.ts'
import { MAX_ADDRESS, toSafeText, toSafeValue } from '../detectors/safe-text.ts'
import type { AssayDocument } from '../documents/document.ts'
import { AppError } from '../kernel/errors.ts'
import { ownText, type Safe, type SafeText } from '../kernel/safe-text.ts'
import { line } from '../kernel/shown.ts'
import type { ReadContext } from '../operation/context.ts'
import type { SourceRecord } from '../sources/model.ts'
import type { Plugins } from '../sources/plugins.ts'
import { openConfig } from '../sources/secrets.ts'
import { toSubject } from './checks.ts'
import type { Example } from './model.ts'

const SHOWN = 20
const MAX_WARNINGS = 20
const MAX_MS = 60_000
/** A rule that matches a greater share of assets is probably too broad. */
const BROAD_SHARE = 0.5
const MIN_FOR_BROAD = 10

export interface PreviewSample extends Safe<Pick<RedactedFinding, 'findingType' | 'excerpt' | 'location'>> {
  asset: Shown
}

type Shown = Safe<Pick<AssetFacts, 'key' | 'kind' | 'name' | 'url' | 'container'>>

export interface Preview {
  examined: number
  matched: number
  hits: number
  /** Undefined when too few assets were examined. */
  tooBroad?: boolean
  samples: PreviewSample[]
  warnings: { code: string; message: SafeText }[]
}

/** Runs a detector over texts and some assets of a source, and stores nothing. */
export async function previewDetector(
  definition: CustomDefinition,
  asked: { texts: readonly Example[]; source?: SourceRecord | undefined; limit: number; plugins: Plugins },
  context: ReadContext,
): Promise<Preview> {
  const preview: Preview = { examined: 0, matched: 0, hits: 0, samples: [], warnings: [] }
  const detect = createDetectorRunner(context.vault.fingerprintKey())
  for (const text of asked.texts) {
    const { document, asset } = toSubject(text)
    const { key, kind, name, url } = asset
    const shown = toSafeValue({ key, kind, name, url }, 'prose') as Shown
    const toShown = (values: readonly string[]) => new ReportedValues(values).hideIn(shown)
    await examine(detect, definition, { document, asset, toShown }, preview, context)
  }
  if (asked.source !== undefined) {
    await previewSource(detect, definition, { ...asked, source: asked.source }, preview, context)
  }
  return preview.examined < MIN_FOR_BROAD
    ? preview
    : { ...preview, tooBroad: preview.matched > preview.examined * BROAD_SHARE }
}

interface Subject {
  document: AssayDocument
  /** The facts passed to detectors. */
  asset: AssetFacts
  /** The masked facts shown in the answer, without the values that detectors reported. */
  toShown: (values: readonly string[]) => Shown
}

async function examine(
  detect: DetectorRunner,
  definition: CustomDefinition,
  { document, asset, toShown }: Subject,
  preview: Preview,
  { now }: ReadContext,
): Promise<void> {
  const detectors = [{ type: customDetector.type, config: { definitions: [definition] } }]
  const { findings, values, warnings } = await detect(document, { asset, detectors, now: now() })
  preview.examined++
  preview.hits += findings.length
  if (findings.length > 0) preview.matched++
  for (const { code, message } of warnings) warn(preview, { code, message })
  for (const { findingType, excerpt, location } of findings.slice(0, SHOWN - preview.samples.length)) {
    const sample = toSafeValue({ findingType, excerpt, location }, 'prose')
    preview.samples.push({ asset: toShown(values), ...(sample as Omit<PreviewSample, 'asset'>) })
  }
}

async function previewSource(
  detect: DetectorRunner,
  definition: CustomDefinition,
  { source, limit, plugins }: { source: SourceRecord; limit: number; plugins: Plugins },
  preview: Preview,
  context: ReadContext,
): Promise<void> {
  const { connector, payload } = openConfig(plugins, context.vault, source)
  const deadline = AbortSignal.timeout(MAX_MS)
  const options: SafeSessionOptions = {
    config: payload,
    sampling: { strategy: 'RANDOM', limit, seed: 1 },
    signal: AbortSignal.any([context.signal, deadline]),
    log: context.log,
    now: context.now,
    ...(source.tenantId === null ? {} : { tenantId: source.tenantId }),
    rememberTenantId: () => {},
  }
  const session = openSafeSession(connector, options, createNumberer(context.vault.fingerprintKey()))
  const least = preview.examined
  try {
    for await (const subject of readSample(session, preview)) {
      await examine(detect, definition, subject, preview, context)
      context.progress({ done: preview.examined - least, total: limit, message: line`assets examined` })
      if (preview.examined - least >= limit) return
    }
  } catch (error) {
    if (!deadline.aborted) throw error
    const message = `Only ${preview.examined - least} assets could be read within a minute; the counts cover these.`
    warn(preview, { code: 'truncated', message })
  } finally {
    await session.close()
  }
}

/** The readable assets of a session; unreadable ones are skipped with a warning. */
async function* readSample(session: SafeSession, preview: Preview): AsyncGenerator<Subject> {
  const { scopes } = await session.scopes()
  for (const scope of scopes) {
    for await (const batch of session.crawl({ scope, known: () => new Map() })) {
      for (const draft of batch.assets) {
        try {
          const document = await draft.document?.()
          if (document !== undefined)
            yield { document, asset: draft.original, toShown: (values) => toShown(hideInAsset(draft, values)) }
        } catch (error) {
          if (!(error instanceof AppError)) throw error
          warn(preview, { code: 'unreadable', message: error.message })
        }
      }
    }
  }
}

const toShown = ({ key, kind, name, url, container }: SafeAsset): Shown => ({
  key,
  kind: ownText(kind),
  name,
  url,
  ...(container === undefined ? {} : { container }),
})

function warn({ warnings }: Preview, warning: { code: string; message: string }): void {
  const message = toSafeText(warning.message, 'prose', MAX_ADDRESS)
  const isKnown = warnings.some((known) => known.code === warning.code && known.message === message)
  if (!isKnown && warnings.length < MAX_WARNINGS) warnings.push({ code: warning.code, message })
}
