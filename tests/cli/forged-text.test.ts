import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { expect, it } from 'vitest'
import type { Check, Host } from '../../src/cli/host.ts'
import { runCommandLine } from '../../src/cli/program.ts'
import { followScan } from '../../src/cli/scan-progress.ts'
import type { Session } from '../../src/cli/session.ts'
import { showName, showSentence } from '../../src/kernel/shown.ts'
import { hostileNames } from '../support/hostile-names.ts'
import { LineReader } from '../support/shown-text.ts'

const names = hostileNames(2_000, 23)
const signal = new AbortController().signal
const noProgress = { discovered: 0, scanned: 0, unchanged: 0, findings: { new: 0, again: 0, resolved: 0 } }

it('hostile names of checks, details and advice are lines of doctor, and nothing else', async () => {
  const checks = names.map((name, at): Check => {
    const status = at % 2 === 0 ? 'warning' : 'ok'
    return { name: `source ${name}`, status, detail: names[(at + 1) % names.length] ?? '', fix: name }
  })
  const stdout = new PassThrough({ highWaterMark: 1 << 24 })
  const host = { version: '0', stdout, stderr: new PassThrough(), signal, doctor: async () => checks }
  expect(await runCommandLine(['doctor'], host as unknown as Host)).toBe(0)
  const lines = String(stdout.read()).split('\n')
  const read = checks.map(({ status, name, detail, fix = '' }) => {
    const reader = new LineReader(lines.shift() ?? '').take(status === 'ok' ? 'ok    ' : 'warn  ')
    expect(reader.name()).toBe(showName(name))
    reader.take(`: ${showSentence(detail)}`).end()
    if (status !== 'ok') expect(lines.shift()).toBe(`      → ${showSentence(fix)}`)
    return name
  })
  expect([read.length, lines]).toEqual([names.length, ['']])
})

it.each([false, true])('hostile names of scopes are lines of the progress of a scan (terminal: %s)', async (isTTY) => {
  const scopes = names.slice(0, isTTY ? 40 : names.length).map((name, at) => ({
    ...{ key: `k${at}`, name, state: at % 2 === 0 ? 'COMPLETE' : 'FAILED', discovered: at, scanned: at, unchanged: 0 },
    ...(at % 2 === 0 ? {} : { reason: name }),
  }))
  const source = { id: 's', name: 'wiki' }
  const scan = { id: 'ab12', source, status: 'PARTIAL', progress: noProgress, scopes }
  const stream = Object.assign(new PassThrough({ highWaterMark: 1 << 24 }), {
    ...{ isTTY, columns: 200, rows: 100, cursorTo: () => true, moveCursor: () => true, clearLine: () => true },
    clearScreenDown: () => true,
  })
  const session = { app: {}, call: async () => scan } as unknown as Session
  await followScan({ signal, stderr: stream } as unknown as Host, session, scan.id)
  const lines = stripVTControlCharacters(String(stream.read()))
    .split('\n')
    .filter((each) => each.trim() !== '')
  if (isTTY) {
    const last = lines.slice(-scopes.length)
    for (const [at, { name, discovered, state }] of scopes.entries()) {
      const reader = new LineReader(last[at] ?? '')
      reader.match(/\r? {2}[█░]{24} /u)
      expect(reader.name()).toBe(showName(name, 40))
      reader.take(`  ${discovered} of ${discovered}${state === 'FAILED' ? ', failed' : ''}`).end()
    }
  } else {
    expect(lines).toHaveLength(scopes.length)
    for (const [at, { name, state, reason }] of scopes.entries()) {
      const reader = new LineReader(lines[at] ?? '').take('  ')
      expect(reader.name()).toBe(showName(name))
      reader.take(`: ${at} found, ${at} scanned, 0 unchanged`)
      if (state === 'FAILED') reader.take(`, failed (${showSentence(reason ?? '', 120)})`)
      reader.end()
    }
  }
})
