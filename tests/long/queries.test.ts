// The random questions of `npm test`, over six estates instead of one.
process.env.ASSAY_QUERY_ESTATES ??= '6'

await import('../properties/query.test.ts')

export {}
