import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quoteJson, unquoteJson } from '../../src/kernel/quoted-json.ts'
import { type ShellCommands, shellOf } from '../../src/runtime/shell.ts'

const places = {
  linux: ["/home/o'hara/my data", '/srv/assay', '/tmp/$HOME `id`', '/tmp/übung & co'],
  win32: ["C:\\Users\\O'Hara\\my data", 'D:\\assay', '\\\\server\\share\\data', 'C:\\übung & co (1)'],
} as const

const commandsOf = (shell: ShellCommands, [first, second, third]: readonly [string, string, string, string]) => ({
  aside: shell.inTurn(shell.rename(first, `${first}.aside`), `assay doctor --home ${shell.quote(second)}`),
  away: shell.rename(first, shell.userFolder('assay-data')),
  unset: shell.unset('ASSAY_STORE', 'https_proxy'),
  copy: shell.copy('COPY', first),
  remove: shell.remove(first, second, third),
  removeEnding: shell.removeEnding(first, '.draft'),
  removeFolder: shell.removeFolder(first),
  makePrivate: shell.makePrivate(first, second),
  makePrivateWhole: shell.makePrivateWhole(first),
  makeUsable: shell.makeUsable(first),
  showOwner: shell.showOwner(first),
  showLargest: shell.showLargest(first),
  showUserOfPort: shell.showUserOfPort(7411),
  showProcesses: shell.showProcesses,
  setClock: shell.setClock,
  nameLocalhost: shell.nameLocalhost,
  keepServing: shell.keepServing,
})

/** The arguments that a shell passes on. */
const passed = (words: readonly string[]) =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${words.join(' ')}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

describe('printed commands', () => {
  it.each(Object.entries(commandsOf(shellOf('linux'), places.linux)))('%s is read by sh: %s', (_, command) => {
    execFileSync('sh', ['-n', '-c', command])
  })

  it('arguments arrive in sh as they are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0')),
          { minLength: 1 },
        ),
        (texts) => {
          expect(passed(texts.map(shellOf('darwin').quote))).toEqual(texts)
        },
      ),
      { numRuns: 30 },
    )
  })

  it.each(Object.entries(commandsOf(shellOf('win32'), places.win32)))(
    '%s has nothing that only one shell of Windows reads: %s',
    (_, command) => {
      expect(command.replaceAll(/"[^"]*"/g, '')).not.toMatch(
        /["'`$%^&|<>;~{}]|\b(?:unset|export|chmod|mv|rm|ls|sudo|grep)\b/,
      )
    },
  )

  it('a path on Windows that ends with backslashes keeps its closing quote', () => {
    expect(shellOf('win32').quote('C:\\a b\\\\')).toBe('"C:\\a b\\\\\\\\"')
  })

  it('a line of a command is not continued where the shells do that differently', () => {
    expect([shellOf('linux').continued, shellOf('win32').continued]).toEqual([' \\', undefined])
  })
})

describe('JSON as an argument', () => {
  const objects = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())

  it('is read back', () => {
    fc.assert(
      fc.property(objects, (value) => {
        expect(toObject(quoteJson(value))).toEqual(viaJson(value))
      }),
    )
  })

  it('arrives in sh as it is', () => {
    fc.assert(
      fc.property(fc.array(objects, { minLength: 1 }), (values) => {
        const arrived = passed(values.map(quoteJson)).map((text) => JSON.parse(unquoteJson(text)))
        expect(arrived).toEqual(values.map(viaJson))
      }),
      { numRuns: 30 },
    )
  })

  it('has nothing that a shell of Windows replaces or ends the quotes at', () => {
    const text = quoteJson({ 'a"b': `O'Hara $env:X %PATH% \`n !x! \\"`, typographic: '“„‘’' })
    expect(text).toMatch(/^"[^"]*"$/)
    expect(text.slice(1, -1)).not.toMatch(/[`$%!“-‟‘-‛]|\\(?!u[\da-f]{4})/)
    expect(text).toContain('O\\u0027Hara')
  })
})

const toObject = (argument: string): unknown => JSON.parse(unquoteJson(argument.slice(1, -1)))
const viaJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
