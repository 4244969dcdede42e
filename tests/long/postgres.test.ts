// The random questions of `npm test` to SQLite and PostgreSQL, 10,000 of them over twenty estates.
process.env.ASSAY_POSTGRES_ESTATES ??= '20'
process.env.ASSAY_POSTGRES_QUESTIONS ??= '500'

await import('../store/postgres-questions.test.ts')

export {}
