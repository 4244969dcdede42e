import { join } from 'node:path'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { Store } from '../../src/store/store.ts'

const home = process.argv[2] ?? ''
const store = Store.open(join(home, 'assay.db'), { now: Date.now })
const vault = openVault({ store, home, env: {}, now: Date.now })
process.stdout.write(`${Buffer.from(vault.fingerprintKey()).toString('hex')}\n`)
store.close()
