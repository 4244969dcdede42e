// Opens the database at the address that is the first argument, as a process does that starts.
import { PostgresStore } from '../../src/store/postgres/store.ts'
import { readAddress } from '../../src/store/store-place.ts'

const [address = ''] = process.argv.slice(2)
PostgresStore.open({ now: () => Date.now(), address: readAddress(address, {}) }).close()
process.exit()
