// Opens the database named by the first argument, and prints the open files of a large transaction that have no name.
import { readdirSync, readlinkSync } from 'node:fs'
import { openStore } from '../../src/store/open-store.ts'

const [file = ''] = process.argv.slice(2)
const FILES = '/proc/self/fd'

function listUnnamed(): string[] {
  return readdirSync(FILES).flatMap((name) => {
    try {
      const target = readlinkSync(`${FILES}/${name}`)
      return target.endsWith(' (deleted)') ? [target] : []
    } catch {
      return []
    }
  })
}

async function open(): Promise<void> {
  const store = await openStore({ kind: 'file', file }, { now: () => Date.now() })
  const numbers = 'WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)'
  const insert = `INSERT INTO word (text, folded) ${numbers} SELECT n || hex(zeroblob(50)), n FROM number`
  store.write((writer) => writer.prepare(insert).run())
  store.write(
    (writer) => {
      writer.prepare("UPDATE word SET text = text || '.' WHERE id > 0").run()
      process.stdout.write(JSON.stringify(listUnnamed()))
    },
    { large: true },
  )
  store.close()
}

void open()
