import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type PostgresAddress, toStorePlace } from '../../src/store/store-place.ts'
import { thrownBy } from '../support/context.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-place-'))
afterAll(() => rmSync(folder, { recursive: true }))
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const authority = write('ca.pem', '-----BEGIN CERTIFICATE-----\n')

function addressOf(ASSAY_STORE: string, env: Record<string, string> = {}): PostgresAddress {
  const place = toStorePlace('/data', { ASSAY_STORE, ...env })
  if (place.kind === 'file') throw new TypeError('the place is a file')
  return place.address
}

it('is the file in the data folder unless ASSAY_STORE is set', () => {
  expect(toStorePlace('/data', {})).toEqual({ kind: 'file', file: join('/data', 'assay.db') })
})

it('reads host, port, user, database and password', () => {
  expect(addressOf('postgres://ada:p%40ss%2F@127.0.0.1/find%20ings')).toEqual({
    ...{ host: '127.0.0.1', port: 5432, user: 'ada', database: 'find ings', password: 'p@ss/' },
  })
  expect(addressOf('postgresql://ada@[::1]:6000/x')).toEqual({ host: '::1', port: 6000, user: 'ada', database: 'x' })
})

it('takes the password from a file, then from the address, then from PGPASSWORD', () => {
  const env = { PGPASSWORD: 'third' }
  const file = { ASSAY_STORE_PASSWORD_FILE: write('password', 'first\n') }
  expect(addressOf('postgres://a:second@localhost/x', { ...env, ...file }).password).toBe('first')
  expect(addressOf('postgres://a:second@localhost/x', env).password).toBe('second')
  expect(addressOf('postgres://a@localhost/x', env).password).toBe('third')
})

it.each<[string, PostgresAddress['tls']]>([
  ['localhost/x', undefined],
  ['127.0.0.1/x?sslmode=require', { check: 'none' }],
  ['db.example/x', { check: 'full' }],
  ['db.example/x?sslmode=disable', undefined],
  ['db.example/x?sslmode=verify-ca', { check: 'chain' }],
  [`localhost/x?sslrootcert=${authority}`, { check: 'full', ca: '-----BEGIN CERTIFICATE-----\n' }],
])('decides about TLS: %s', (rest, tls) => {
  expect(addressOf(`postgres://a@${rest}`).tls).toEqual(tls)
})

it.each([
  ['mysql://a:hunter2secret@db/x', 'must have the form'],
  ['hunter2secret', 'must have the form'],
  ['postgres://a:hunter2secret@db', 'does not name a database'],
  ['postgres://db/x', 'does not name a user'],
  ['postgres://a:hunter2secret%@db/x', 'write % itself as %25'],
  ['postgres://a:hunter2secret@db/x?options=-c', 'has an unknown parameter'],
  ['postgres://a:hunter2secret@db/x?sslmode=prefer', 'sslmode in ASSAY_STORE must be'],
  ['postgres://a:hunter2secret@db/x?sslrootcert=/none', 'cannot be read'],
  [`postgres://a:hunter2secret@db/x?sslrootcert=${write('empty.pem', '')}`, 'has no certificate'],
])('refuses what cannot be meant, without repeating it: %s', (text, message) => {
  const error = thrownBy(() => addressOf(text))
  expect(error.message).toContain(message)
  expect(error.message).not.toContain('hunter2secret')
})

it.each([
  [write('nothing', '\n'), 'is empty'],
  [join(folder, 'absent'), 'cannot be read'],
])('refuses a file without a password', (ASSAY_STORE_PASSWORD_FILE, message) => {
  const error = thrownBy(() => addressOf('postgres://a@localhost/x', { ASSAY_STORE_PASSWORD_FILE }))
  expect(error.message).toContain(message)
})
