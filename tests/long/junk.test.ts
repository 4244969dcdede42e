// The properties of the short form, 10,000 cases for each route and each tool.
process.env.ASSAY_LONG = '1'
process.env.JUNK_RUNS ??= '10000'
await import('../catalogue/junk.test.ts')
await import('../definitions/files.test.ts')

export {}
