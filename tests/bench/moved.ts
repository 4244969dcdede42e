import { startEntry } from '../support/entry.ts'

// A bundle starts the built worker threads: from the sources, a thread that waits for one would keep it from being compiled.
const { ended, child } = await startEntry(new URL('./moved/moved-entry.ts', import.meta.url), process.argv.slice(2))
child.stdout?.pipe(process.stdout)
process.exitCode = (await ended) ?? 1
