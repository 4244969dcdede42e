import type { SourceDetector } from '../detector.ts'
import { BrokenLinksConfig } from './config.ts'

const findingTypes = [
  'PAGE_MISSING',
  'ATTACHMENT_MISSING',
  'ANCHOR_MISSING',
  'STALE_TARGET',
  'REPORT_MISSING',
  'DATASET_MISSING',
  'HTTP_404',
  'HTTP_410',
  'HTTP_4XX',
  'HTTP_5XX',
  'TIMEOUT',
  'CONNECTION_REFUSED',
  'CONNECTION_FAILED',
  'HOST_NOT_FOUND',
  'TLS_ERROR',
  'REDIRECT_BROKEN',
  'BAD_REPLY',
  'INVALID_URL',
] as const

/** Links inside the platform are resolved against the scanned assets; other links are requested over HTTP. */
export const brokenLinksDetector: SourceDetector<BrokenLinksConfig> = {
  type: 'BROKEN_LINKS',
  title: 'Broken links',
  description:
    'Finds links to pages, attachments, anchors, reports and datasets that no longer exist, and web addresses that do not respond. Hosts that block automated requests, private addresses and example addresses are not findings.',
  category: 'LINK',
  version: 1,
  reads: 'assets',
  config: BrokenLinksConfig,
  findingTypes,
}
