// The tests of processes on one PostgreSQL server, with those that wait long: for a lease to end, and for a server that is away.
process.env.ASSAY_LONG = '1'

await import('../e2e/postgres-faults.test.ts')
await import('../e2e/workers.test.ts')

export {}
