import { PostgresClient } from '../../../src/store/postgres/client.ts'
import { print } from '../../support/bench.ts'
import { openPostgresStore } from '../../support/postgres.ts'
import { storeBatch } from './scan-batch.ts'

// Scans a source, says so, and scans it again at a signal. Parameters: address, id of the source, number of batches.

const [address = '', sourceId = '', batches = ''] = process.argv.slice(2)
const store = openPostgresStore(address, Date.now)
let calls = 0
const { query } = PostgresClient.prototype
PostgresClient.prototype.query = function (request) {
  calls++
  return query.call(this, request)
}

const scan = (run: number) => {
  for (let batch = 0; batch < Number(batches); batch++) storeBatch(store, Number(sourceId), batch, run)
}

const isAlive = setInterval(() => {}, 60_000)
process.once('SIGUSR2', () => {
  calls = 0
  const before = process.cpuUsage()
  scan(1)
  const { user, system } = process.cpuUsage(before)
  print(JSON.stringify({ roundTrips: calls, clientMs: (user + system) / 1000 }))
  store.close()
  clearInterval(isAlive)
})
scan(0)
print('ready')
