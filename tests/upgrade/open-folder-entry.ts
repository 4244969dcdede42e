import { openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'

/** Opens a data folder as the program does. */
async function open(): Promise<void> {
  process.stdout.write('begun\n')
  const folder = await openFolder(loadConfig({ home: process.argv[2], logLevel: 'silent' }, {}), {})
  folder.close()
  process.stdout.write('done\n')
}

void open()
