// The same tests as in `npm test`, with more random sets of definitions.
process.env.ASSAY_LONG = '1'

await import('../definitions/definitions.test.ts')

export {}
