import { buildEntry, startEntry } from '../support/entry.ts'

// A bundle starts the built worker threads: from the sources, a thread that waits for one would keep it from being compiled.
const writer = await buildEntry(new URL('./write/postgres-writer-entry.ts', import.meta.url))
const args = [...process.argv.slice(2), '--writer', writer]
const { ended, child } = await startEntry(new URL('./write/postgres-entry.ts', import.meta.url), args)
child.stdout?.pipe(process.stdout)
process.exitCode = (await ended) ?? 1
