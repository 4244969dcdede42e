import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rememberSecret } from '../../src/kernel/redaction.ts'
import { createLog, deferLog } from '../../src/runtime/log.ts'
import { openLogFile } from '../../src/runtime/log-file.ts'

const write = (message: string, fields: Record<string, unknown> = {}) => {
  const lines: string[] = []
  createLog({ level: 'debug', write: (line) => lines.push(line), now: () => 0 }).error(message, fields)
  return lines.join('')
}

const canaries = Array.from({ length: 200 }, (_, n) => `cAnary-${n}-"ü/${'x'.repeat((n % 5) + 8)}`)
/** Where a careless caller may put a secret. */
const sites: readonly [string, (secret: string) => string][] = [
  ['the message', (secret) => write(`signed in with ${secret}`)],
  ['a field', (secret) => write('x', { note: secret })],
  ['a field deep inside', (secret) => write('x', { a: { b: [{ c: { d: secret } }] } })],
  ['the name of a field', (secret) => write('x', { [secret]: 1 })],
  ['the message of an error', (secret) => write('x', { error: new Error(`bad ${secret}`) })],
  [
    'the stack of an error',
    (secret) => write('x', { error: Object.assign(new Error('x'), { stack: `at ${secret}` }) }),
  ],
  ['an address', (secret) => write(`https://me:${encodeURIComponent(secret)}@host/x`)],
  ['a query string', (secret) => write('x', { url: `https://host/x?q=${encodeURIComponent(secret)}&b=1` })],
  ['a header of Basic', (secret) => write(`Basic ${Buffer.from(secret).toString('base64')}`)],
  ['base64url', (secret) => write('x', { state: Buffer.from(secret).toString('base64url') })],
  ['JSON inside of JSON', (secret) => write('x', { body: JSON.stringify({ password: secret }) })],
  ['a command line', (secret) => write('x', { argv: ['--token', secret] })],
]

describe('known secrets', () => {
  for (const canary of canaries) rememberSecret(canary)
  it.each(sites)('are masked in %s', (_site, log) => {
    for (const canary of canaries) {
      const line = log(canary)
      for (const form of [
        canary,
        canary.slice(8),
        encodeURIComponent(canary),
        Buffer.from(canary).toString('base64url'),
      ]) {
        expect(line).not.toContain(form)
      }
    }
  })
})

describe('a line', () => {
  it('remains one line with any content', () => {
    const line = write('a\r\nb\u2028c\u0085d', { x: '\n{"level":"error"}' })
    expect(line.match(/[\r\n\u2028\u2029\u0085]/g)).toEqual(['\n'])
    expect(JSON.parse(line)).toMatchObject({ message: 'a\r\nb\u2028c\u0085d' })
  })

  it('contains no terminal control characters', () => {
    const line = write('\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202egnp.exe \u007f')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
  })
})

describe('an invisible character', () => {
  it('is written escaped and parsed back unchanged', () => {
    const hidden = 'a\u200bb\u{e0041}c\u3164d \u{1f469}\u200d\u{1f4bb}'
    const line = write(hidden)
    expect(line).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
    expect(line).toContain('a\\u200bb\\udb40\\udc41c\\u3164d')
    expect(JSON.parse(line)).toMatchObject({ message: hidden })
  })
})

describe('what is searched for values to mask', () => {
  it('is any text that is no time, and no bytes', () => {
    const searched: string[] = []
    const lines: string[] = []
    const hide = (text: string) => {
      searched.push(text)
      return '***'
    }
    const log = createLog({ level: 'info', write: (line) => lines.push(line), now: () => 0, hide })
    log.info('note', {
      at: '2026-01-02T03:04:05.678Z',
      head: Uint8Array.of(1, 171),
      late: '2026-01-02T03:04:05.678Z 1',
    })
    expect(searched).toEqual(['info', 'note', '2026-01-02T03:04:05.678Z 1'])
    expect(JSON.parse(lines.join(''))).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: '***',
      message: '***',
      at: '2026-01-02T03:04:05.678Z',
      head: '01ab',
      late: '***',
    })
  })
})

describe('the log file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-log-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const names = () => readdirSync(folder).sort()

  it('is bounded, keeps the newest lines and belongs to its owner', () => {
    const file = openLogFile({ folder, maxBytes: 1000, files: 3 })
    for (let n = 0; n < 100; n++) file.write(`${String(n).padStart(99, '.')}\n`)
    file.close()
    expect(names()).toEqual(['assay.1.log', 'assay.2.log', 'assay.log'])
    for (const name of names()) {
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(1000)
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    }
    expect(readFileSync(join(folder, 'assay.log'), 'utf8')).toMatch(/99\n$/)
  })

  it('is shared: a process continues the file of another', () => {
    const [one, two] = [
      openLogFile({ folder, maxBytes: 2000, files: 2 }),
      openLogFile({ folder, maxBytes: 2000, files: 2 }),
    ]
    for (let n = 0; n < 400; n++) (n % 3 === 0 ? one : two).write(`${n} ${'.'.repeat(90)}\n`)
    one.close()
    two.close()
    expect(names()).toEqual(['assay.1.log', 'assay.log'])
    const total = names().reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    expect(total).toBeLessThan(2000 * 2 + 60 * 100)
  })

  it('is longer while its files cannot be renamed, so that no line is lost', () => {
    mkdirSync(join(folder, 'assay.2.log'))
    const file = openLogFile({ folder, maxBytes: 1000, files: 3 })
    for (let n = 0; n < 20; n++) file.write(`${String(n).padStart(99, '.')}\n`)
    file.close()
    expect(readFileSync(join(folder, 'assay.log'), 'utf8').split('\n')).toHaveLength(21)
  })

  it('does not stop the program when it cannot be written', () => {
    const path = join(folder, 'taken')
    writeFileSync(path, '')
    const file = openLogFile({ folder: path })
    expect(() => file.write('x\n')).not.toThrow()
    file.close()
  })
})

describe('a log that is opened on its first line', () => {
  const open = () => {
    const lines: Record<string, unknown>[] = []
    let at = 0
    const options = {
      level: 'info' as const,
      write: (line: string) => lines.push(JSON.parse(line)),
      now: () => (at += 1000),
    }
    let opened = 0
    const log = deferLog(options, async () => {
      opened += 1
      return createLog({ ...options, hide: (text) => text.replaceAll('secret', '***') })
    })
    return { lines, log, opened: () => opened }
  }

  it('is not opened for a line below its level', async () => {
    const { lines, log, opened } = open()
    log.debug('nothing')
    await nextTurn()
    expect({ opened: opened(), lines }).toEqual({ opened: 0, lines: [] })
  })

  it('keeps order, times and masking, and is opened once', async () => {
    const { lines, log, opened } = open()
    log.info('first', { note: 'secret' })
    log.warn('second')
    await nextTurn()
    log.error('third', { note: 'secret' })
    expect(opened()).toBe(1)
    expect(lines.map(({ time, message, note }) => [time, message, note])).toEqual([
      ['1970-01-01T00:00:01.000Z', 'first', '***'],
      ['1970-01-01T00:00:02.000Z', 'second', undefined],
      [expect.any(String), 'third', '***'],
    ])
  })

  it('loses no line when the process ends', () => {
    const { lines, log } = open()
    log.info('first')
    log.flush()
    expect(lines.map(({ message }) => message)).toEqual(['first'])
  })
})
