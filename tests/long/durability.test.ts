// The same tests as in `npm test`, with their full counts.
process.env.ASSAY_LONG = '1'
process.env.ASSAY_KILLS ??= '50'
process.env.ASSAY_FLIPS ??= '1000'
process.env.ASSAY_SECONDS ??= '120'
process.env.ASSAY_STEP_BYTES ??= '4096'

await import('../store/power.test.ts')
await import('../store/store.test.ts')
await import('../store/vault-file.test.ts')
await import('../store/rot.test.ts')
await import('../store/backup.test.ts')
await import('../store/migration.test.ts')
await import('../audit/tamper.test.ts')
await import('../scans/limited.test.ts')
await import('../e2e/many.test.ts')

export {}
