// The workers of `npm test`, and one that is paused for longer than its lease.
process.env.ASSAY_LONG = '1'

await import('../e2e/workers.test.ts')

export {}
