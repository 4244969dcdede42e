// Every mistake that may show a name; in a process whose vaults have remembered no secrets.
process.env.ASSAY_LONG = '1'

await import('../catalogue/lockdown-canary.test.ts')

export {}
