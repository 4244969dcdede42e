// The random questions of `npm test`, many more of them over ten estates instead of one.
process.env.ASSAY_QUERY_ESTATES ??= '10'
process.env.ASSAY_QUERY_COUNT ??= '1000'
process.env.ASSAY_QUERY_FINDINGS ??= '600'

await import('../properties/query.test.ts')

export {}
