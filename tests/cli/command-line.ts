import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { openApp } from '../../src/app.ts'
import { operations } from '../../src/catalogue.ts'
import type { Flags, Host } from '../../src/cli/host.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import { loadConfig } from '../../src/config.ts'

export interface Ran {
  code: number
  stdout: string
  stderr: string
}

const unused = () => Promise.reject(new Error('this test does not start it'))

/** Runs commands in this process, on a data folder of its own that goes away with the test. */
export function openCommandLine(): { home: string; run: (argv: readonly string[], stdin?: string) => Promise<Ran> } {
  const home = mkdtempSync(join(tmpdir(), 'assay-cli-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const env = {}
  const configure = (flags: Flags) => loadConfig({ home: flags.home ?? home, logLevel: 'silent', port: 0 }, env)
  const run = async (argv: readonly string[], stdin = ''): Promise<Ran> => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    const host: Host = {
      version: '1.2.3',
      stdin: Readable.from(stdin === '' ? [] : [stdin]),
      stdout,
      stderr,
      signal: new AbortController().signal,
      open: (flags) => openApp(configure(flags), env),
      operations: async () => operations,
      locate: (flags) => ({ ...configure(flags), env }),
      serve: unused,
      mcp: unused,
      demo: unused,
      doctor: unused,
      verify: unused,
    }
    const code = await runCommandLine([...argv, '--home', home], host)
    return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') }
  }
  return { home, run }
}

export interface CommandLine {
  run: (argv: readonly string[], stdin?: string) => Promise<Ran>
}

/** Imports findings of one severity, first detected some days ago. */
export async function importFindings(
  { run }: CommandLine,
  findings: readonly { id: number; severity: string; daysAgo: number }[],
): Promise<void> {
  const lines = findings.map(({ id, severity, daysAgo }) =>
    JSON.stringify({
      asset: { key: `page-${id}`, name: `Page ${id}`, container: 'Space' },
      detectorType: 'SECRETS',
      findingType: 'TOKEN',
      severity,
      firstDetectedAt: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
      fingerprint: `f${id}`,
    }),
  )
  const { code, stderr } = await run(['import', '--source', 'scanner', '-'], `${lines.join('\n')}\n`)
  if (code !== 0) throw new Error(`the import ended with ${code}: ${stderr}`)
}
