import { expect, it } from 'vitest'
import { makeHome, runAssay } from '../support/assay.ts'

/** At the end of the program, fills a temporary table and prints the open files that have no name. */
const script = `
  import { readdirSync, readlinkSync } from 'node:fs'
  import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))}
  process.on('exit', () => {
    const database = new Database(':memory:')
    database.exec(\`PRAGMA temp_store = FILE; CREATE TEMP TABLE sorted (text);
      WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200000)
      INSERT INTO sorted SELECT hex(zeroblob(50)) FROM number\`)
    for (const name of readdirSync('/proc/self/fd')) {
      try {
        const target = readlinkSync('/proc/self/fd/' + name)
        if (target.endsWith(' (deleted)')) console.error(target)
      } catch {}
    }
  })
`

it.runIf(process.platform === 'linux')('the temporary files of SQLite are in the data folder', async () => {
  const { home, remove } = makeHome()
  const NODE_OPTIONS = `--import="data:text/javascript,${encodeURIComponent(script)}"`
  const { code, stderr } = await runAssay(['init'], { home, env: { NODE_OPTIONS } })
  remove()
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/ \(deleted\)\n$/) })
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith(`${home}/`))).toEqual([])
})
