// The random questions of `npm test` to SQLite and PostgreSQL, many more of them.
process.env.ASSAY_POSTGRES_QUESTIONS ??= '1000'

await import('../store/postgres.test.ts')

export {}
