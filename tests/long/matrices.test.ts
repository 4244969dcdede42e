import { describe } from 'vitest'

// The tests of which `npm test` runs a share, as a whole.
process.env.ASSAY_LONG = '1'

/** Each file has a `describe` of its own, to which its hooks belong. */
const whole = (name: string, load: () => Promise<unknown>) =>
  describe(name, async () => {
    await load()
  })

whole('catalogue/consent', () => import('../catalogue/consent.test.ts'))
whole('catalogue/filter-matrix', () => import('../catalogue/filter-matrix.test.ts'))
whole('catalogue/injected', () => import('../catalogue/injected.test.ts'))
whole('connectors/bi/revisit', () => import('../connectors/bi/revisit.test.ts'))
whole('connectors/wiki/crawl', () => import('../connectors/wiki/crawl.test.ts'))
whole('detectors/duplicate/compare', () => import('../detectors/duplicate/compare.test.ts'))
whole('detectors/patterns', () => import('../detectors/patterns.test.ts'))
whole('detectors/pii-cases', () => import('../detectors/pii-cases.test.ts'))
whole('detectors/secrets-cases', () => import('../detectors/secrets-cases.test.ts'))
whole('e2e/import', () => import('../e2e/import.test.ts'))
whole('findings/expiry', () => import('../findings/expiry.test.ts'))
whole('imports/json-parts', () => import('../imports/json-parts.test.ts'))
whole('imports/ndjson', () => import('../imports/ndjson.test.ts'))
whole('imports/at-once', () => import('../imports/at-once.test.ts'))
whole('metrics/junk', () => import('../metrics/junk.test.ts'))
whole('query/junk', () => import('../query/junk.test.ts'))
whole('query/stored-counts', () => import('../query/stored-counts.test.ts'))
whole('query/time', () => import('../query/time.test.ts'))
whole('scans/kill', () => import('../scans/kill.test.ts'))
whole('scans/left-scopes', () => import('../scans/left-scopes.test.ts'))
whole('scans/redaction', () => import('../scans/redaction.test.ts'))
whole('scans/unseen-bi', () => import('../scans/unseen-bi.test.ts'))
whole('scans/unseen-wiki', () => import('../scans/unseen-wiki.test.ts'))
whole('sources/payload-schemas', () => import('../sources/payload-schemas.test.ts'))
whole('store/cached-query', () => import('../store/cached-query.test.ts'))
whole('upgrade/hide-stored', () => import('../upgrade/hide-stored.test.ts'))
