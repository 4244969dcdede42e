import { connectors } from '../../src/connectors/index.ts'
import { brokenLinksDetector } from '../../src/detectors/broken-links/index.ts'
import type { Detector, SourceDetector } from '../../src/detectors/detector.ts'
import { sampleCredentials } from '../../src/sample/credentials.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { createTenant, detectWords, wordDetector } from './fake-tenant.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

/** A data folder whose scans go through the real connectors, with a detector that finds `word:xyz`. */
export function openPlatformBench(home?: string): Workbench {
  const detectors = [wordDetector as Detector, brokenLinksDetector as SourceDetector]
  const detect: Detect = async (document, request) =>
    request.detectors.some(({ type }) => type === wordDetector.type)
      ? detectWords(document, request)
      : { findings: [], warnings: [], values: [] }
  return openWorkbench(createTenant({}), {
    plugins: { connectors, detectors },
    detect,
    ...(home === undefined ? {} : { home }),
  })
}

export const wikiConfig = (url: string, optional: object = {}) => ({
  type: 'WIKI',
  required: { account_email: sampleCredentials.accountEmail, base_url: url },
  masked: { api_token: sampleCredentials.apiToken },
  optional: { ...optional, connection: { max_retries: 0 } },
  detectors: [{ type: 'WORDS' }],
})

export const createWikiSource = (bench: Workbench, url: string, optional: object = {}) =>
  bench.run('create_source', { name: 'fake', config: wikiConfig(url, optional) })
