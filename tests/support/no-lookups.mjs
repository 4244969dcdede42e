import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

/** Preloaded with `--import`: no name can be resolved, and each that is looked up is written to LOOKUPS_FILE. */
const { lookup } = dns
const { lookup: lookupLater } = dns.promises

function refuse(host) {
  appendFileSync(process.env.LOOKUPS_FILE, `${host}\n`)
  return Object.assign(new Error('no name is resolved here'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' })
}
dns.lookup = (host, ...rest) => (isIP(host) ? lookup(host, ...rest) : rest.at(-1)(refuse(host)))
dns.promises.lookup = async (host, ...rest) => {
  if (isIP(host)) return lookupLater(host, ...rest)
  throw refuse(host)
}
syncBuiltinESMExports()
