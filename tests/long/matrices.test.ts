// The tests of which `npm test` runs a share, as a whole.
process.env.ASSAY_LONG = '1'

await import('../catalogue/consent.test.ts')
await import('../catalogue/filter-matrix.test.ts')
await import('../connectors/bi/revisit.test.ts')
await import('../connectors/wiki/crawl.test.ts')
await import('../detectors/duplicate/compare.test.ts')
await import('../detectors/patterns.test.ts')
await import('../e2e/import.test.ts')
await import('../engine/combo-counts.test.ts')
await import('../findings/expiry.test.ts')
await import('../imports/json-parts.test.ts')
await import('../imports/ndjson.test.ts')
await import('../imports/plain-line.test.ts')
await import('../metrics/junk.test.ts')
await import('../query/junk.test.ts')
await import('../query/time.test.ts')
await import('../scans/kill.test.ts')
await import('../scans/left-scopes.test.ts')
await import('../scans/redaction.test.ts')
await import('../scans/unseen-bi.test.ts')
await import('../scans/unseen-wiki.test.ts')
await import('../sources/payload-schemas.test.ts')
await import('../store/cached-query.test.ts')
await import('../upgrade/hide-stored.test.ts')

export {}
