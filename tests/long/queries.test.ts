// The random questions of `npm test`, many more of them over six estates instead of one.
process.env.ASSAY_QUERY_ESTATES ??= '6'
process.env.ASSAY_QUERY_COUNT ??= '720'

await import('../properties/query.test.ts')

export {}
