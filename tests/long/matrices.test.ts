// The tests of which `npm test` runs a share, as a whole.
process.env.ASSAY_LONG = '1'

await import('../catalogue/consent.test.ts')
await import('../catalogue/filter-matrix.test.ts')
await import('../connectors/bi/revisit.test.ts')
await import('../connectors/wiki/crawl.test.ts')
await import('../detectors/duplicate/compare.test.ts')
await import('../detectors/patterns.test.ts')
await import('../e2e/import.test.ts')
await import('../findings/expiry.test.ts')
await import('../scans/kill.test.ts')
await import('../scans/unseen-bi.test.ts')
await import('../scans/unseen-wiki.test.ts')
await import('../sources/payload-schemas.test.ts')
await import('../upgrade/hide-stored.test.ts')

export {}
