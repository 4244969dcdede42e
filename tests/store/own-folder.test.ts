import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { openLogFile } from '../../src/runtime/log-file.ts'
import { announceServer } from '../../src/runtime/served-address.ts'
import { requireOwnFolder } from '../../src/store/own-folder.ts'
import { Space } from '../../src/store/space.ts'
import { openCommandLine } from '../cli/command-line.ts'

const isRoot = process.geteuid?.() === 0
const [user, group] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]

let root: string
let home: string
let victim: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-own-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  home = join(root, 'home')
  mkdirSync(home, { mode: 0o700 })
  victim = join(root, 'victim')
  writeFileSync(victim, 'precious', { mode: 0o600 })
})

function problemOf(person?: Parameters<typeof requireOwnFolder>[1]): string | undefined {
  try {
    requireOwnFolder(home, person)
    return undefined
  } catch (error) {
    if (error instanceof AppError && error.facts.reason === 'folder_shared') return error.message
    throw error
  }
}

describe.skipIf(process.platform === 'win32')('a data folder', () => {
  it.each([0o777, 0o1777, 0o707])(
    'with mode %o is refused by every command, with the command that mends it',
    async (mode) => {
      const cli = openCommandLine()
      home = cli.home
      chmodSync(home, mode)
      const said = expect.stringContaining(`chmod go-w '${home}'`)
      await expect(openFolder(loadConfig({ home }, {}), {})).rejects.toMatchObject({ message: said })
      for (const argv of [['init'], ['findings'], ['backup'], ['key', 'status'], ['restore', victim]]) {
        expect(await cli.run(argv)).toMatchObject({ code: 1, stderr: said })
      }
      expect(statSync(home).mode & 0o7777).toBe(mode)
      chmodSync(home, mode & ~0o022)
      ;(await openFolder(loadConfig({ home, logLevel: 'silent' }, {}), {})).close()
    },
  )

  // By user, its groups, owner, group and mode of the folder.
  it.runIf(isRoot).each<[string, boolean, [number, number[]], [number, number, number]]>([
    ['only its owner may write', true, [1000, [1000]], [1000, 1000, 0o755]],
    ['the private group of the user may write', true, [1000, [1000]], [1000, 1000, 0o775]],
    ['a group of several users may write', false, [1000, [100]], [1000, 100, 0o775]],
    ['a group of several users may write, besides the private one', false, [1000, [1000, 100]], [1000, 100, 0o770]],
    ['the group of others may write', false, [1000, [1000]], [1000, 50, 0o770]],
    ['root has prepared it for a group of the process, as for fsGroup', true, [1000, [1000, 2000]], [0, 2000, 0o2775]],
    ['the container runs in the group of root', true, [1_000_650_000, [0]], [0, 0, 0o775]],
    ['it was made in a volume with fsGroup', true, [1000, [1000, 2000]], [1000, 2000, 0o2770]],
    ['root has prepared it for another group', false, [1000, [1000]], [0, 2000, 0o2775]],
    ['it is a volume that all may write', false, [1000, [1000]], [0, 1000, 0o2777]],
    ['another user owns it', false, [1000, [1000]], [1001, 1000, 0o755]],
    ['root uses the folder of a user', false, [0, [0]], [1000, 1000, 0o755]],
  ])('where %s is accepted: %s', (_name, accepted, [id, groups], [owner, gid, mode]) => {
    chownSync(home, owner, gid)
    chmodSync(home, mode)
    writeFileSync(join(home, 'assay.db'), '', { mode: 0o660 })
    chownSync(join(home, 'assay.db'), owner, gid)
    expect(problemOf({ user: id, groups }) === undefined).toBe(accepted)
  })

  it.each([
    'assay.db',
    'assay.db-wal',
    'ASSAY.DB',
    'assay.key',
    'served.json',
    'ballast',
    'engine',
    'logs',
    'undo',
    'engine/lock',
    'logs/assay.log',
  ])('in which %s is a link is refused', (name) => {
    const file = join(home, name)
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 })
    symlinkSync(victim, file)
    expect(problemOf()).toContain(`rm '${file}'`)
    rmSync(file)
    symlinkSync(join(root, 'nothing'), file)
    expect(problemOf()).toContain(`rm '${file}'`)
  })

  it.runIf(isRoot)('that is a link of another user is refused', () => {
    const link = join(root, 'link')
    symlinkSync(home, link)
    expect(() => requireOwnFolder(link)).not.toThrow()
    lchownSync(link, 1001, 1001)
    expect(() => requireOwnFolder(link)).toThrow('belongs to another user')
  })

  it('may have links of its owner for config.json and backups, and other files', () => {
    for (const name of ['config.json', 'backups', 'notes.txt']) symlinkSync(victim, join(home, name))
    expect(problemOf()).toBeUndefined()
    if (!isRoot) return
    expect(problemOf({ user: 1000, groups: [1000] })).toBeUndefined()
  })

  it.runIf(isRoot)('with a file of another user, or one that others may write, is refused', () => {
    const file = join(home, 'config.json')
    writeFileSync(file, '{}', { mode: 0o600 })
    chownSync(file, 1001, group)
    expect(problemOf()).toContain('belongs to another user (1001)')
    chownSync(file, user, group)
    chmodSync(file, 0o666)
    expect(problemOf()).toContain(`chmod go-w '${file}'`)
  })
})

describe.skipIf(process.platform === 'win32')('a link that was planted', () => {
  it.each([
    ['symbolic', symlinkSync],
    ['hard', linkSync],
  ])('is replaced or left, not followed: %s', (_name, plant) => {
    mkdirSync(join(home, 'logs'), { mode: 0o700 })
    for (const name of ['served.json', 'ballast', 'logs/assay.log']) plant(victim, join(home, name))
    const withdraw = announceServer(home, { url: 'http://127.0.0.1:7411' })
    new Space(home).keepBallast()
    const log = openLogFile({ folder: join(home, 'logs') })
    log.write('a line\n')
    log.close()
    expect(readFileSync(victim, 'utf8')).toBe('precious')
    expect(JSON.parse(readFileSync(join(home, 'served.json'), 'utf8'))).toMatchObject({ url: 'http://127.0.0.1:7411' })
    expect(statSync(join(home, 'ballast')).size).toBe(16 * 1024 * 1024)
    withdraw()
    expect(existsSync(join(home, 'served.json'))).toBe(false)
  })
})
