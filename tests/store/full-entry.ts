// Writes until the disk refuses, makes room when it is told to, and says how it went on.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../../src/kernel/errors.ts'
import { Store } from '../../src/store/store.ts'
import { safe } from '../support/safe-text.ts'

const [folder = ''] = process.argv.slice(2)
const filler = join(folder, 'filler')
writeFileSync(filler, Buffer.alloc(1_000_000, 1))
const store = Store.open(join(folder, 'assay.db'), { now: Date.now })
let kept = 0
const add = () =>
  store.write(
    (writer) => writer.prepare('INSERT INTO install VALUES (?, ?)').run(safe(`row-${kept}`), safe('x'.repeat(4_000))),
    {
      essential: true,
    },
  )
const count = () =>
  store.read((reader) => reader.prepare("SELECT count(*) FROM install WHERE name LIKE 'row-%'").pluck().get()) as number
const tryToAdd = (): string => {
  try {
    add()
    kept += 1
    return ''
  } catch (error) {
    return error instanceof AppError ? `${error.code} ${error.facts.reason}` : String(error)
  }
}
const tell = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

async function fill(): Promise<void> {
  let refused = ''
  while (refused === '' && kept < 20_000) refused = tryToAdd()
  const again = tryToAdd()
  tell({ refused, again, whole: count() === kept && kept > 0, ...store.examine() })
  const roomMade = new Promise<void>((resolve) => process.once('SIGUSR2', () => resolve()))
  const keepAlive = setInterval(() => {}, 1_000)
  process.stdout.write('full\n')
  await roomMade
  rmSync(filler)
  const since = performance.now()
  while (tryToAdd() !== '' && performance.now() - since < 60_000) await sleep(100)
  tell({ resumed: tryToAdd() === '', whole: count() === kept, ...store.examine() })
  store.close()
  clearInterval(keepAlive)
  process.stdout.write('over\n')
}

void fill()
