import { createServer } from 'node:http'
import { OrmTable } from '../write/rivals.ts'
import { Estate, planBatches } from '../write/work.ts'

/**
 * A server as many are written: one connection in the main thread that answers and writes. `steady` makes it store a
 * batch of 500 findings each second, `flood` one after the other, and `rest` none.
 */

const [file = '', count = '0'] = process.argv.slice(2)
const rows = Number(count)
const table = new OrmTable(file)
const { database } = table
table.fill(new Estate(rows))
const batches = planBatches(rows, 200)
const statements = {
  one: database.prepare('SELECT * FROM finding WHERE rowid = ?'),
  page: database.prepare('SELECT * FROM finding ORDER BY first_detected_at DESC LIMIT 50'),
  hours: database.prepare('SELECT count(*) AS n FROM finding WHERE first_detected_at >= ? AND first_detected_at < ?'),
}
let batch = 0
let timer: NodeJS.Timeout | undefined
let flooding = false

const storeBatch = () => {
  const next = batches[batch++ % batches.length]
  if (next !== undefined) table.store(next)
}
const flood = () => {
  if (!flooding) return
  storeBatch()
  setImmediate(flood)
}
process.on('message', (message) => {
  if (message !== 'rest' && message !== 'steady' && message !== 'flood') return
  clearInterval(timer)
  flooding = message === 'flood'
  if (message === 'steady') timer = setInterval(storeBatch, 1000)
  flood()
})

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const answer =
    pathname === '/one'
      ? statements.one.get(Number(searchParams.get('id')))
      : pathname === '/page'
        ? statements.page.all()
        : statements.hours.get(searchParams.get('from'), searchParams.get('to'))
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(answer))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(`http://127.0.0.1:${port}\n`)
})
