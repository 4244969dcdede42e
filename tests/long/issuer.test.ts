// The same tests as in `npm test`, with every form of forged tokens in every state.
process.env.ASSAY_LONG = '1'

await import('../access/hostile-issuer.test.ts')

export {}
