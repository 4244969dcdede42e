import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { shells, toCompletionScript } from '../../src/cli/completion.ts'
import type { Host } from '../../src/cli/host.ts'
import { createProgram } from '../../src/cli/program.ts'
import { listCommands } from '../../src/cli/shape.ts'
import { runInTerminals, whyNoPty } from '../support/pty.ts'

const input = {
  commands: listCommands(await createProgram({ version: '1.2.3' } as Host)),
  words: { call: operations.map(({ name }) => name), completion: shells },
}
const hasShell = (shell: string) => spawnSync(shell, ['-c', 'true']).status === 0

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-completion-'))
  for (const shell of shells) writeFileSync(join(folder, shell), toCompletionScript(shell, input))
  writeFileSync(join(folder, 'findings.ndjson'), '')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lines before the cursor with the only word that completes the last one. */
const single: readonly [line: string, word: string][] = [
  ['assay tri', 'triage'],
  ['assay mcp ins', 'install'],
  ['assay query open-findings --seri', '--series'],
  ['assay query --series w', 'week'],
  ['assay query --by query --order-by p', 'previous'],
  ['assay --home watch sla se', 'set'],
  ['assay --color never mcp u', 'uninstall'],
  ['assay --color ne', 'never'],
  ['assay call query_metric_t', 'query_metric_timeseries'],
  ['assay completion f', 'fish'],
  ['assay import find', 'findings.ndjson'],
  ['assay import --source find', 'findings.ndjson'],
]

describe('completion', () => {
  it.for([
    ['bash', ['-n']],
    ['zsh', ['-n']],
    ['fish', ['--no-execute']],
  ] as const)('is a valid script for %s', ([shell, options], { skip }) => {
    if (!hasShell(shell)) skip(`${shell} is not installed`)
    const { status, stderr } = spawnSync(shell, [...options, join(folder, shell)], { encoding: 'utf8' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('in bash completes words; names of files are left to bash', () => {
    const others: [readonly string[], unknown][] = [
      [['assay', 'mcp', ''], expect.arrayContaining(['install', 'uninstall', '--toolsets'])],
      [['assay', 'import', '--source', ''], []],
      [['assay', 'nonsense; echo hi', 'tri'], ['triage']],
    ]
    const cases: [readonly string[], unknown][] = [
      ...single.map(([line, word]): [string[], unknown] => [line.split(' '), word === 'findings.ndjson' ? [] : [word]]),
      ...others,
    ]
    const script = `source "$1"; shift
      while [ $# -gt 0 ]; do
        COMP_WORDS=("\${@:2:$1}"); COMP_CWORD=$(($1 - 1)); shift $(($1 + 1))
        _assay; printf '%s|' "\${COMPREPLY[@]}"; echo
      done`
    const words = cases.flatMap(([line]) => [String(line.length), ...line])
    const answers = execFileSync('bash', ['-c', script, 'bash', join(folder, 'bash'), ...words], { encoding: 'utf8' })
    const completed = answers
      .trimEnd()
      .split('\n')
      .map((text) => text.split('|').filter(Boolean))
    expect(completed).toEqual(cases.map(([, words]) => words))
  })

  it('in fish completes the same, with descriptions', ({ skip }) => {
    if (!hasShell('fish')) skip('fish is not installed')
    const script = 'source $argv[1]; for line in $argv[2..-1]; complete -C $line; echo; end'
    const lines = [...single.map(([line]) => line), 'assay --home watch sla ', 'assay nonsense; echo hi; assay tri']
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script, join(folder, 'fish'), ...lines], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      encoding: 'utf8',
    })
    const completed = stdout.split('\n\n').map((text) => text.split('\n').filter(Boolean))
    expect(stderr).toBe('')
    const words = completed.map((each) => each.map((text) => text.split('\t')[0]))
    expect(words.slice(0, single.length)).toEqual(single.map(([, word]) => [word]))
    expect(words.slice(single.length, -1)).toEqual([['list', 'remove', 'set'], ['triage']])
    expect(completed[1]?.[0]).toMatch(/^install\tadd Assay to the configuration of an assistant/)
  })

  it('in zsh completes the same when Tab is pressed, from a folder of functions', ({ skip }) => {
    const why = whyNoPty() ?? (hasShell('zsh') ? undefined : 'zsh is not installed')
    if (why !== undefined) skip(why)
    writeFileSync(join(folder, '_assay'), toCompletionScript('zsh', input))
    const settings = [
      `fpath=(${folder} $fpath)`,
      'autoload -Uz compinit && compinit -u -D',
      `cd ${folder}`,
      'assay() { print -r -- "completed: $*" }',
      "PS1='ready> '",
    ]
    writeFileSync(join(folder, '.zshrc'), `${settings.join('\n')}\n`)
    const typed = [...single.map(([line]) => `${line}\t`), 'assay watch \t', 'exit']
    const [ran] = runInTerminals([
      {
        argv: ['/usr/bin/env', 'zsh', '-i'],
        columns: 200,
        env: { ZDOTDIR: folder, HOME: folder, TERM: 'dumb', LANG: 'C.UTF-8' },
        sendAfter: 'ready>',
        send: typed.map((line) => `${line}\r`).join(''),
      },
    ])
    const completed = [...(ran?.output ?? '').matchAll(/^completed: (.*?)\s*$/gm)].map(([, text]) => `assay ${text}`)
    expect(completed.slice(0, single.length)).toEqual(single.map(([line, word]) => line.replace(/\S+$/, word)))
    expect(ran?.output).toMatch(/^create +delete +list +show/m)
  })
})
