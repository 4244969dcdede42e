import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { mainFile, makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { runInTerminals, whyNoPty } from '../support/pty.ts'
import { ask, callTool, connectHttp } from './estate.ts'

const toTerm = (slug: string) => ({ slug, displayName: slug, filterMapping: { severities: ['HIGH'] } })
const create = (slug: string) => ['call', 'create_glossary_term', JSON.stringify(toTerm(slug))]

it.skipIf(whyNoPty() !== undefined)(
  'assay move can be interrupted with Ctrl-C and continued, and leaves a folder that refuses every change',
  { timeout: 120_000 },
  async () => {
    const { home, remove } = makeHome()
    const target = mkdtempSync(join(tmpdir(), 'assay-target-'))
    const to = `sqlite:${join(target, 'assay.db')}`
    expect((await openLastingCommandLine({}, { home }).run(create('kept'))).code).toBe(0)
    const job = { argv: [process.execPath, mainFile, 'move', '--to', to], columns: 400, env: { ASSAY_HOME: home } }
    const [interrupted, moved] = runInTerminals([{ ...job, send: '\u0003', sendAfter: 'Copying' }, job])
    expect(interrupted?.code).toBe(1)
    expect(interrupted?.output).toContain(`run \`assay move --to ${to}\` again to continue it`)
    expect(moved?.code).toBe(0)
    expect(moved?.output).toMatch(/\[2K(?:Copying|Indexing|Comparing) \w+.*; Ctrl-C interrupts/)
    const lines = moved?.output.trim().split('\r\n') ?? []
    expect(lines.at(-3)).toContain(`The database is now ${to}; ${home}/assay.db can only be read from now on.`)
    expect(lines.at(-2)).toContain('! The key was not copied.')
    const next = `set ASSAY_HOME=${target} (or use --home), and once \`assay doctor --home ${target}\` reports no failure`
    expect(lines.at(-1)).toContain(next)
    expect(lines.at(-1)).toContain(`remove the former folder, which can only be read: \`rm -r ${home}\``)
    copyFileSync(join(home, 'assay.key'), join(target, 'assay.key'))

    const refusal = `The database has moved to ${to}`
    const { code, stderr } = await openLastingCommandLine({}, { home }).run(create('mine'))
    expect([code, stderr]).toEqual([1, expect.stringContaining(refusal)])
    const server = await serveAssay(home)
    const reply = await ask(server.url, 'POST', '/semantic/glossary', toTerm('mine'))
    expect([reply.status, JSON.stringify(reply.body)]).toEqual([503, expect.stringContaining(refusal)])
    expect((await ask(server.url, 'GET', '/semantic/glossary/kept')).status).toBe(200)
    const client = await connectHttp(server.url)
    const answer = await client.callTool({ name: 'create_glossary_term', arguments: toTerm('mine') })
    expect([answer.isError, JSON.stringify(answer.content)]).toEqual([true, expect.stringContaining(refusal)])
    expect(await callTool(client, 'get_glossary_term', { slug: 'kept' })).toMatchObject({ slug: 'kept' })
    await client.close()
    await server.stop()

    expect((await openLastingCommandLine({}, { home: target }).run(create('mine'))).code).toBe(0)
    remove()
    expect(existsSync(home)).toBe(false)
    const doctor = await runAssay(['doctor', '--deep'], { home: target })
    expect(doctor.stdout).toContain('assay.key')
    expect(doctor.stdout).not.toContain('FAIL')
    rmSync(target, { recursive: true, force: true })
  },
)
