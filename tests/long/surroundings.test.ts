import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Machine, openMachine, openThisMachine } from '../support/machines.ts'
import { steps } from '../support/smoke.ts'

// As a user without rights, whose files are private, in zones far from UTC and a language with letter cases of its own.

const root = fileURLToPath(new URL('../../', import.meta.url))
const NOBODY = 65_534
const rights = ['--reuid', String(NOBODY), '--regid', String(NOBODY), '--clear-groups']
const asNobody = ['setpriv', ...rights, 'sh', '-c', 'umask 077 && exec "$@"', 'sh']
const isUsable = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0

const own = (folder: string) => spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, folder])

/** A copy of the project in which that user can write. */
function copyProject(target: string): void {
  const left = new Set(['.git', 'node_modules'])
  for (const name of readdirSync(root).filter((entry) => !left.has(entry)))
    cpSync(join(root, name), join(target, name), { recursive: true })
  // Its packages are the same files, but their folders are new, for what tools keep in them.
  spawnSync('cp', ['-rl', join(root, 'node_modules'), target])
  for (const name of ['.cache', '.vite', '.vite-temp'])
    rmSync(join(target, 'node_modules', name), { recursive: true, force: true })
  spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, ...readdirSync(target).filter((name) => name !== 'node_modules')], {
    cwd: target,
  })
  spawnSync('find', [target, '-type', 'd', '-exec', 'chown', `${NOBODY}:${NOBODY}`, '{}', '+'])
}

describe.each(['Asia/Kathmandu', 'Pacific/Apia'])('in %s', (zone) => {
  const env = { TZ: zone, LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8' }
  let project: string
  let node: string
  let there: Machine
  let here: Machine

  beforeAll(() => {
    if (!isUsable) return
    here = openThisMachine()
    project = mkdtempSync(join(tmpdir(), 'assay-project-'))
    copyProject(project)
    node = process.execPath.replace(root, `${project}/`)
    const program = join(project, 'dist', 'main.js')
    there = openMachine({ command: [...asNobody, node], program, env, prepare: own })
  })
  afterAll(() => {
    if (!isUsable) return
    here.close()
    there.close()
    rmSync(project, { recursive: true, force: true })
  })
  const needed = 'only root can become another user, with setpriv of util-linux'

  it.for(steps)('%s gives what this machine gives', async ([, step], { skip }) => {
    if (!isUsable) skip(needed)
    expect(await step(there)).toEqual(await step(here))
  })

  it('the unit tests pass', ({ skip }) => {
    if (!isUsable) skip(needed)
    const folder = join(project, 'Временные файлы übung')
    mkdirSync(folder)
    own(folder)
    const vitest = join('node_modules', 'vitest', 'vitest.mjs')
    const [command = '', ...args] = [...asNobody, node, vitest, 'run', '--config', 'vitest.unit.config.ts']
    const { status, stderr } = spawnSync(command, [...args, '--reporter', 'dot'], {
      cwd: project,
      env: { PATH: process.env.PATH, ...env, HOME: folder, TMPDIR: folder, NO_COLOR: '1' },
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    })
    expect(status, stderr.slice(0, 20_000)).toBe(0)
  })
})
