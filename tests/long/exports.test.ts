// The export of `npm test`, of a million findings.
process.env.ASSAY_EXPORT_FINDINGS ??= '1000000'

await import('../e2e/exports.test.ts')

export {}
