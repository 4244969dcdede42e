// Upgrades the database at the address that is the first argument by the migrations in the second, and says what it did.
import { upgradeSchema } from '../../src/store/postgres/upgrade.ts'
import { readAddress } from '../../src/store/store-place.ts'

const [address = '', migrations = ''] = process.argv.slice(2)
const done = upgradeSchema(readAddress(address, {}), JSON.parse(migrations))
process.stdout.write(`ended ${JSON.stringify(done ?? null)}`)
process.exit()
