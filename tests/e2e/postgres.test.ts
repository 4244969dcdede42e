import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { hasOpenssl, makeCertificate } from '../support/certificates.ts'
import { missingPrograms, type OwnPostgresServer, startOwnPostgres } from '../support/postgres.ts'
import { ask, callTool, connectHttp, connectStdio } from './estate.ts'

const severities = ['HIGH', 'LOW', 'LOW', 'MEDIUM', 'CRITICAL', 'LOW']
const lines = severities.map((severity, index) => ({
  asset: { key: `page-${index % 4}`, name: `Page ${index % 4}` },
  ...{
    detectorType: 'SECRETS',
    findingType: index % 2 === 0 ? 'KEY' : 'TOKEN',
    severity,
    fingerprint: `finding-${index}`,
  },
  firstDetectedAt: `2026-0${index + 1}-01T00:00:00Z`,
}))
const question = { metricSlug: 'total-findings', dimensions: ['severity', 'findingType'] }

/** What an answer says about the findings, without ids and times of the installation. */
const toNumbers = ({ value, breakdown }: Record<string, unknown>) => ({ value, breakdown })

describe.skipIf(missingPrograms !== undefined)(`assay on PostgreSQL ${missingPrograms ?? ''}`, () => {
  let server: OwnPostgresServer
  let store: string
  let expected: object
  const { home, remove } = makeHome()
  const files = makeHome()
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    runAssay(args, { home, env: { ASSAY_STORE: store, ...env } })
  /** Runs a command in this process. */
  const runHere = (args: readonly string[], env: Record<string, string> = {}) =>
    openLastingCommandLine({ ASSAY_STORE: store, ...env }, { home }).run(args)

  beforeAll(async () => {
    server = await startOwnPostgres({ access: ['host all locked 127.0.0.1/32 scram-sha-256'] })
    server.run('CREATE DATABASE findings')
    store = `${server.url}/findings`
    const file = join(files.home, 'findings.ndjson')
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'))
    const refused = await run(['query', 'total-findings'])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('prepare it with `assay init`') })
    const inFile = openLastingCommandLine({}, files)
    expect(await run(['init'])).toMatchObject({ code: 0, stderr: '' })
    const importing = ['import', file, '--source', 'scanner']
    for (const work of [() => inFile.run(['init']), () => inFile.run(importing), () => runHere(importing)])
      expect((await work()).code).toBe(0)
    const asked = ['call', 'query_metric', JSON.stringify(question)]
    const answers = [await runHere(asked), await inFile.run(asked)]
    const [own, other] = answers.map(({ stdout }) => toNumbers(JSON.parse(stdout) as Record<string, unknown>))
    expect(other?.value).toBe(lines.length)
    expect(own).toEqual(other)
    expected = other ?? {}
  }, 300_000)
  afterAll(() => {
    server.stop()
    remove()
    files.remove()
  })

  const query = async (url: string) => {
    const { status, body } = await ask(url, 'POST', '/semantic/query', question)
    return { status, numbers: toNumbers(body) }
  }

  it('keeps the key in the data folder, and no database', async () => {
    expect(['assay.key', 'assay.db'].map((name) => existsSync(join(home, name)))).toEqual([true, false])
    expect(await runHere(['backup'])).toMatchObject({ code: 1, stderr: expect.stringContaining('pg_dump') })
  }, 120_000)

  it('answers REST, MCP over HTTP and over stdio as the command line does, also after the database was away', async () => {
    const { url, stop } = await serveAssay(home, [], { ASSAY_STORE: store })
    const clients: Client[] = []
    onTestFinished(async () => {
      for (const client of clients) await client.close()
      await stop()
    })
    expect((await ask(url, 'GET', '/ready')).status).toBe(200)
    expect(await query(url)).toEqual({ status: 200, numbers: expected })
    clients.push(await connectHttp(url), await connectStdio(home, [], { ASSAY_STORE: store }))
    for (const client of clients) expect(toNumbers(await callTool(client, 'query_metric', question))).toEqual(expected)

    const term = { slug: 'kept', displayName: 'Kept', filterMapping: { severities: ['HIGH'] } }
    expect((await ask(url, 'POST', '/semantic/glossary', term)).status).toBe(201)
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
    const table = await fetch(`${url}/findings`, { headers: { accept: 'text/csv' } })
    expect((await table.text()).trim().split('\n')).toHaveLength(lines.length + 1)

    server.halt()
    expect(await ask(url, 'GET', '/ready')).toMatchObject({ status: 503, body: { checks: { database: 'failed' } } })
    expect((await ask(url, 'GET', '/health')).status).toBe(200)
    const lost = await ask(url, 'POST', '/semantic/query', question)
    expect(lost).toMatchObject({ status: 503, body: { reason: 'database_unreachable' } })
    server.resume()
    const patience = { timeout: 20_000, interval: 200 }
    await vi.waitFor(async () => expect((await ask(url, 'GET', '/ready')).status).toBe(200), patience)
    await vi.waitFor(async () => expect(await query(url)).toEqual({ status: 200, numbers: expected }), patience)
    expect((await ask(url, 'GET', '/semantic/glossary/kept')).status).toBe(200)
  }, 300_000)

  it('refuses what it cannot use with what to do next, and never shows the password', async () => {
    server.run(`CREATE ROLE locked LOGIN SUPERUSER PASSWORD 'hunter2secret'`)
    server.run('CREATE DATABASE shop')
    server.run('CREATE TABLE article (id int)', 'shop')
    const at = (user: string, database: string) => `${server.url.replace('assay@', `${user}@`)}/${database}`
    const password = join(home, 'password')
    writeFileSync(password, 'hunter2secret\n')
    const isRefused = (env: Record<string, string>) => env.ASSAY_STORE?.includes('locked:hunter2') === true
    const refusals: [env: Record<string, string>, message: string][] = [
      [{ ASSAY_STORE: 'postgres://assay:hunter2secret@127.0.0.1:1/x' }, 'cannot be reached'],
      [{ ASSAY_STORE: at('assay', 'absent') }, 'create it with `createdb`'],
      [{ ASSAY_STORE: at('locked:hunter2secreT', 'findings') }, 'refuses the user, the password'],
      [{ ASSAY_STORE: at('locked', 'findings') }, 'refuses the user, the password'],
      [{ ASSAY_STORE: `${at('assay', 'findings')}?sslmode=require` }, 'does not offer TLS'],
      [{ ASSAY_STORE: at('assay', 'shop') }, 'tables of another program'],
    ]
    for (const [env, message] of refusals) {
      // Where a password is refused, it must not be in the log of a process either.
      const { code, stdout, stderr } = await (isRefused(env) ? run : runHere)(['init'], env)
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) })
      expect(stdout + stderr).not.toMatch(/hunter2/i)
    }
    const admitted = { ASSAY_STORE: at('locked', 'findings'), ASSAY_STORE_PASSWORD_FILE: password }
    expect((await runHere(['query', 'total-findings'], admitted)).code).toBe(0)

    const change = async (database: string, statement: string, undo: string, message: string) => {
      server.run(statement, database)
      expect(await runHere(['init'])).toMatchObject({ code: 1, stderr: expect.stringContaining(message) })
      server.run(undo, database)
    }
    const shift = (n: number) => `UPDATE main.schema_version SET number = number + ${n}`
    await change('findings', shift(1), shift(-1), 'of a newer version of Assay')
    const setting = 'ALTER DATABASE findings'
    await change(
      'postgres',
      `${setting} SET default_transaction_read_only = on`,
      `${setting} RESET default_transaction_read_only`,
      'name the primary server',
    )
  }, 300_000)

  it.skipIf(!hasOpenssl)(
    'checks the certificate of the server, and its name',
    async () => {
      const authorities = ['IP:127.0.0.1', 'DNS:elsewhere.example'].map((name, index) => {
        const { key, cert, certificateFile } = makeCertificate(join(home, `server-${index}`), [name])
        server.addFile(`${index}.key`, key)
        server.addFile(`${index}.crt`, cert)
        return certificateFile
      })
      const certify = (index: number) => {
        for (const [name, value] of [
          ['ssl_cert_file', `${index}.crt`],
          ['ssl_key_file', `${index}.key`],
          ['ssl', 'on'],
        ])
          server.run(`ALTER SYSTEM SET ${name} = '${value}'`)
        server.halt()
        server.resume()
      }
      const status = async (parameters: string) => {
        const { code, stderr } = await runHere(['key', 'status'], { ASSAY_STORE: `${store}?${parameters}` })
        return code === 0 ? 'accepted' : stderr
      }
      certify(0)
      expect(await status('sslmode=verify-full')).toContain('is not trusted or is for another host')
      expect(await status(`sslrootcert=${authorities[0]}`)).toBe('accepted')
      expect(await status(`sslrootcert=${authorities[1]}`)).toContain('is not trusted or is for another host')
      certify(1)
      expect(await status(`sslrootcert=${authorities[1]}`)).toContain('is not trusted or is for another host')
      expect(await status(`sslrootcert=${authorities[1]}&sslmode=verify-ca`)).toBe('accepted')
      expect(await status('sslmode=require')).toBe('accepted')
    },
    300_000,
  )
})
