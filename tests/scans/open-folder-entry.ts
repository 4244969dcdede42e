import { loadConfig } from '../../src/config.ts'
import { openFolder } from '../../src/folder.ts'

/** Opens a data folder as the program does. */
process.stdout.write('begun\n')
openFolder(loadConfig({ home: process.argv[2], logLevel: 'silent' }, {}), {}).close()
process.stdout.write('done\n')
