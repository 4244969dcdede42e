// Moves the database of a data folder in small batches, until it is done or killed.
import { openFolder } from '../../src/commands/data-folder.ts'
import { moveDatabase } from '../../src/commands/move.ts'
import { loadConfig } from '../../src/config.ts'

const [home = '', to = '', batch = '5'] = process.argv.slice(2)
const folder = await openFolder(loadConfig({ home, logLevel: 'silent' }, {}), {})
process.stdout.write('started\n')
try {
  const { signal } = new AbortController()
  await moveDatabase(folder, to, { signal, batchRows: Number(batch) })
  process.stdout.write('moved\n')
} finally {
  folder.close()
}
