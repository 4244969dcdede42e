import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mainFile, runAssay } from '../support/assay.ts'
import { hostileNames } from '../support/hostile-names.ts'
import { isLong } from '../support/long.ts'
import { readScreen, runInTerminals, whyNoPty } from '../support/pty.ts'
import { openLastingCommandLine } from './command-line.ts'

/** Twenty commands of a working day, two of them wrong. */
const commands: readonly (readonly string[])[] = [
  ['--help'],
  ['query', '--help'],
  ['watch', 'create', '--help'],
  ['call', 'query_metric', '--help'],
  ['call', '--list'],
  ['sources'],
  ['sources', 'show', 'scanner'],
  ['findings'],
  ['findings', '--severities', 'CRITICAL', '--total'],
  ['query', 'open-findings', '--by', 'severity'],
  ['query', 'total-findings', '--by', 'container,findingType'],
  ['query', 'new-findings', '--series', 'month', '--from', '2026-01-01', '--to', '2026-06-30'],
  ['query', 'new-findings', '--from', '2026-03-01', '--to', '2026-03-31', '--compare', 'previous_period', '--explain'],
  ['sla', 'list'],
  ['watch', 'list'],
  ['watch', 'show', 'open-criticals'],
  ['token', 'list'],
  ['audit', 'verify'],
  ['query', 'open-findngs'],
  ['findings', '--sort', 'oldest'],
]

const containers = ['Engineering', 'Human Resources', '人事部', 'Größe und Maß', 'a: \u001b[31mb\u202e\nc']
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']

function toLines(): string {
  const names = hostileNames(10, 3)
  return Array.from({ length: 40 }, (_, at) =>
    JSON.stringify({
      asset: {
        key: `page-${at}`,
        name:
          (at < 30 ? `Page ${at} about the deployment of the warehouse system` : (names[at - 30] ?? ''))
            .slice(0, 900)
            .trim() || 'x',
        container: containers[at % containers.length],
        url: `https://wiki.example/pages/${at}`,
      },
      detectorType: at % 3 === 0 ? 'PII' : 'SECRETS',
      findingType: at % 3 === 0 ? 'EMAIL' : 'CONNECTION_STRING',
      severity: severities[at % severities.length],
      excerpt: `connection string of the deployment account number ${at}, with a long explanation behind it`,
      firstDetectedAt: `2026-0${1 + (at % 6)}-1${at % 10}T08:00:00Z`,
      fingerprint: `f${at}`,
    }),
  ).join('\n')
}

/** What differs from run to run, as the same characters each time. */
const toFixed = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-01-01 00:00')
    .replaceAll(/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g, '00000000-0000-0000-0000-000000000000')
    .replaceAll(/\b[\da-f]{64}\b/g, '0'.repeat(64))
    .replaceAll(/on \d{4}-\d\d-\d\d \(version/g, 'on 2026-01-01 (version')

const why = whyNoPty()

interface TerminalRun {
  columns: number
  /** The commands, and those of them that run with colour, too. */
  indexes: readonly number[]
  colored: readonly number[]
}

/** Runs the commands in real pseudo-terminals, and compares what a person sees with the snapshots. */
export function testTerminalCommands(runs: readonly TerminalRun[]): void {
  describe.skipIf(why !== undefined)(
    `commands on a terminal${why === undefined ? '' : ` (skipped: ${why})`}`,
    {
      timeout: 120_000,
    },
    () => {
      let home: string
      /** Runs a command without a terminal, in this process. */
      const runHere = (args: readonly string[]) => openLastingCommandLine({}, { home }).run(args)
      beforeAll(async () => {
        home = mkdtempSync(join(tmpdir(), 'assay-terminal-'))
        const file = join(home, 'findings.ndjson')
        writeFileSync(file, `${toLines()}\n`)
        for (const args of [
          ['import', file, '--source', 'scanner'],
          ['sla', 'set', '--days', 'CRITICAL=3,HIGH=14'],
          ['watch', 'create', 'open-criticals', '--metric', 'critical-open-findings', '--above', '3'],
        ]) {
          const { code, stderr } = await runHere(args)
          if (code !== 0) throw new Error(stderr)
        }
      }, 120_000)
      afterAll(() => rmSync(home, { recursive: true, force: true }))

      const inTerminals = (columns: number, indexes: readonly number[], env: Record<string, string>) =>
        runInTerminals(
          indexes.map((at) => ({
            argv: [process.execPath, mainFile, ...(commands[at] ?? [])],
            columns,
            env: { ASSAY_HOME: home, HOME: home, ...env },
          })),
        )

      it.each(runs)(
        '$columns columns: the snapshots, no line over the width, the same with colour',
        async ({ columns, indexes, colored }) => {
          // What fits the terminal does not go through the pager.
          const plain = inTerminals(columns, indexes, { NO_COLOR: '1', PAGER: 'head -n 1' })
          const inColor = inTerminals(columns, colored, {})
          for (const [order, at] of indexes.entries()) {
            const { output } = plain[order] ?? { output: '' }
            const name = commands[at]?.join(' ') ?? ''
            expect([name, output.includes('\u001b')]).toEqual([name, false])
            const screen = await readScreen(output, { columns })
            expect([name, screen.filter(({ isWrapped }) => isWrapped)]).toEqual([name, []])
            const painted = inColor[colored.indexOf(at)]?.output
            if (painted !== undefined) {
              const seen = await readScreen(painted, { columns })
              expect([name, seen.map(({ text }) => toFixed(text))]).toEqual([
                name,
                screen.map(({ text }) => toFixed(text)),
              ])
              expect(stripVTControlCharacters(painted)).not.toMatch(/(?![\r\n])[\p{Cc}\u202a-\u202e]/u)
            }
            const lines = screen.map((each) => toFixed(each.text)).join('\n')
            // A hash longer than the line is broken.
            const text = lines.replaceAll(/\b(head )?[\da-f]{10,}\n[\da-f]{10,}$/gm, `$1${'0'.repeat(64)}`)
            await expect(`$ assay ${name}\n${text}\n`).toMatchFileSnapshot(
              join(import.meta.dirname, 'terminal', String(columns), `${at + 1}.txt`),
            )
          }
          const escaped = inColor.filter(({ output }) => output.includes('\u001b['))
          expect(escaped.length).toBeGreaterThanOrEqual(Math.ceil(inColor.length / 2))
        },
      )

      it('20 columns: no line over the width, and mistakes are one sentence', async () => {
        const right = (isLong ? [7, 9, 5] : [7]).map((at) => commands[at] ?? [])
        const wrong = [['query', 'open-findngs'], ...(isLong ? [['sorces'], ['findings', '--limit', 'many']] : [])]
        const ran = runInTerminals(
          [...right, ...wrong].map((argv) => ({
            argv: [process.execPath, mainFile, ...argv],
            columns: 20,
            env: { ASSAY_HOME: home, HOME: home, NO_COLOR: '1' },
          })),
        )
        expect(ran.map(({ code }) => code)).toEqual([...right.map(() => 0), ...[1, 2, 2].slice(0, wrong.length)])
        for (const { output } of ran) {
          const screen = await readScreen(output, { columns: 20 })
          expect(screen.filter(({ isWrapped }) => isWrapped)).toEqual([])
        }
        for (const { output } of ran.slice(right.length))
          expect(output.replaceAll(/\s+/g, ' ').trim()).toMatch(/^assay: [^:]+[.?!)\w`]$/)
      })

      it('a pipe that closes ends the command, without a message', async () => {
        const program = `"${process.execPath}" "${mainFile}"`
        const before = (await runHere(['audit', 'verify', '--json'])).stdout
        const asked = ['findings --json --limit 500', 'generate --findings 200000', 'call --list']
        for (const command of isLong ? asked : asked.slice(0, 1)) {
          const script = `{ ${program} ${command}; echo "ended with $?" >&2; } | head -n 1`
          const ran = spawnSync('sh', ['-c', script], { env: { ...process.env, ASSAY_HOME: home }, encoding: 'utf8' })
          expect([command, ran.stderr]).toEqual([command, expect.stringMatching(/^(?:More: [^\n]+\n)?ended with 0\n$/)])
          expect(ran.stdout.split('\n')).toHaveLength(2)
        }
        expect((await runHere(['audit', 'verify', '--json'])).stdout).toBe(before)
      })

      // The snapshot of `findings` ends with that command.
      it('in Markdown, a list of findings on a terminal does not name the command that shows one', () => {
        const argv = [process.execPath, mainFile, 'findings', '--limit', '2', '--format', 'md']
        const env = { ASSAY_HOME: home, HOME: home, NO_COLOR: '1' }
        const [markdown] = runInTerminals([{ argv, columns: 100, env }])
        expect(markdown?.output).toContain('connection string')
        expect(markdown?.output).not.toContain('One of them')
      })

      it('on a pipe there is no escape, and nothing is cut', async () => {
        for (const at of [7, 9, 0]) {
          const args = commands[at] ?? []
          const { stdout, stderr } = await (isLong ? runAssay(args, { home }) : runHere(args))
          expect(stdout + stderr).not.toContain('\u001b')
        }
      })

      it('output that is longer than the terminal goes through $PAGER', () => {
        const job = { argv: [process.execPath, mainFile, 'findings', '--limit', '40'], columns: 80, rows: 20 }
        const env = { ASSAY_HOME: home, HOME: home, PAGER: 'head -n 3 | tr a-z A-Z' }
        const [paged, missing] = runInTerminals([
          { ...job, env },
          { ...job, env: { ...env, PAGER: 'no-such-pager' } },
        ])
        const [header = '', , first = '', ...more] = paged?.output.trim().split('\n') ?? []
        expect(header).toContain('SEVERITY')
        expect(first).toContain('WIKI.EXAMPLE')
        expect(more).toEqual([expect.stringMatching(/^One of them with its history/)])
        expect(missing?.output).toContain('deployment')
      })

      it('commands that wait say what for, and Ctrl-C and Ctrl-D end them', () => {
        const job = { columns: 80, env: { ASSAY_HOME: home, HOME: home, NO_COLOR: '1' } }
        const [mcp, detect, serve] = runInTerminals([
          {
            ...job,
            argv: [process.execPath, mainFile, 'mcp', '--no-background'],
            sendAfter: 'ends it',
            send: '\u0003',
          },
          { ...job, argv: [process.execPath, mainFile, 'detect'], sendAfter: 'instead.', send: '\u0004' },
          {
            ...job,
            argv: [process.execPath, mainFile, 'serve', '--port', '0', '--no-background'],
            sendAfter: 'Ctrl-C',
            send: '\u0003',
          },
        ])
        expect(mcp?.output).toMatch(/waits for an assistant/)
        expect(detect?.output).toMatch(/Waiting for lines/)
        expect(serve?.output.replaceAll('\r', '')).toMatch(
          /Assay \S+ serves at http:\S+\n +Console \S+\n +REST \S+ · MCP \S+\n +Data folder \S+\n +Ctrl-C ends it/,
        )
        expect([mcp?.code, detect?.code, serve?.code]).toEqual([0, 0, 0])
      })
    },
  )
}
