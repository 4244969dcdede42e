// The planted causes of `npm test`, 200 of them instead of 10.
process.env.ASSAY_CAUSES ??= '200'

await import('../query/planted-causes.test.ts')

export {}
