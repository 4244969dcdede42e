// Changes the key of a data folder again and again, until it is killed.
import { join } from 'node:path'
import { rotateKey } from '../../src/store/keys/key-rotation.ts'
import { Store } from '../../src/store/store.ts'

const [home = ''] = process.argv.slice(2)
const store = Store.open(join(home, 'assay.db'), { now: Date.now })
process.stdout.write('started\n')
for (;;) rotateKey({ store, home, env: {}, now: Date.now })
