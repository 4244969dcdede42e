import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mainFile, type ProcessResult } from './assay.ts'
import { fetchNode } from './nodes.ts'

/** Where the built program is run: this machine, or another one that is emulated on it. */
export interface Machine {
  /** An empty folder of this machine, whose name has spaces and letters of several scripts. */
  folder: string
  /** A path of this machine as the other one names it, and back. */
  toPath(path: string): string
  fromPath(path: string): string
  run(args: readonly string[]): Promise<ProcessResult>
  /** Starts a server, and waits until it prints its address. */
  serve(args: readonly string[]): Promise<{ url: string; stop(): Promise<unknown> }>
  close(): void
}

/** A machine, or why it cannot be had. */
export type FoundMachine = Machine | { missing: string }

const MAX_MS = 600_000
const POLL_MS = 100

interface Launch {
  command: readonly string[]
  /** The built program. */
  program?: string
  env?: NodeJS.ProcessEnv
  toPath?: (path: string) => string
  fromPath?: (path: string) => string
  /** Makes the new folder usable. */
  prepare?: (folder: string) => void
  /** Ends what the machine has left running. */
  close?: () => void
}

/** Output goes to files, because pipes and consoles are not reliable everywhere. */
export function openMachine({
  command,
  program = mainFile,
  env = {},
  toPath = (path) => path,
  fromPath = toPath,
  prepare,
  close,
}: Launch): Machine {
  const parent = mkdtempSync(join(tmpdir(), 'assay-machine-'))
  const folder = join(parent, 'data übung данные 資料')
  mkdirSync(folder)
  prepare?.(parent)
  let count = 0
  const start = (args: readonly string[], more: SpawnOptions = {}) => {
    const [first = '', ...rest] = [...command, toPath(program), ...args]
    const files = ['out', 'err'].map((name) => join(parent, `${count}.${name}`))
    count += 1
    const [out = 0, err = 0] = files.map((file) => openSync(file, 'w'))
    const child = spawn(first, rest, {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: '', ...env, HOME: folder, ASSAY_HOME: toPath(join(folder, 'home')) },
      stdio: ['ignore', out, err],
      ...more,
    })
    for (const handle of [out, err]) closeSync(handle)
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    const read = () => files.map((file) => readFileSync(file, 'utf8'))
    return { child, ended, read }
  }
  return {
    folder,
    toPath,
    fromPath,
    run: async (args) => {
      const { ended, read } = start(args, { timeout: MAX_MS })
      const code = await ended
      const [stdout = '', stderr = ''] = read()
      return { code, stdout, stderr }
    },
    serve: async (args) => {
      const { child, ended, read } = start(['serve', '--port', '0', ...args])
      for (const deadline = Date.now() + MAX_MS; Date.now() < deadline; ) {
        const [stdout = '', stderr = ''] = read()
        const url = /http:\/\/[\d.]+:\d+/.exec(stdout)?.[0]
        const stop = () => {
          child.kill()
          return ended
        }
        if (url !== undefined) return { url, stop }
        if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${stderr}`)
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
      child.kill()
      throw new Error('the server did not print its address')
    },
    close: () => {
      close?.()
      rmSync(parent, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

export const openThisMachine = (): Machine => openMachine({ command: [process.execPath] })

const has = (command: string) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0

/** The Node of another platform, or why it cannot be had. */
function findNode(platform: string): string | { missing: string } {
  try {
    return fetchNode('22', platform)
  } catch (error) {
    return { missing: (error as Error).message }
  }
}

/** Windows 10 as Wine emulates it. */
export function openWindows(): FoundMachine {
  if (!has('wine')) return { missing: 'install wine and wine64 from Debian' }
  const node = findNode('win-x64')
  if (typeof node !== 'string') return node
  const prefix = mkdtempSync(join(tmpdir(), 'assay-wine-'))
  const env = {
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree=d;mshtml=d',
    DISPLAY: '',
    LC_ALL: 'C.UTF-8',
    NODE_SKIP_PLATFORM_CHECK: '1',
  }
  const prepare = (...args: string[]) =>
    spawnSync('wine', args, { env: { ...process.env, ...env }, stdio: 'ignore', timeout: MAX_MS })
  const close = () => {
    spawnSync('wineserver', ['--kill'], { env: { ...process.env, ...env }, stdio: 'ignore' })
    rmSync(prefix, { recursive: true, force: true, maxRetries: 5 })
  }
  prepare('wineboot', '--init')
  prepare('winecfg', '-v', 'win10')
  if (prepare(node, '--version').status !== 0) {
    close()
    return { missing: 'this Wine does not run Node; install wine and wine64 8 from Debian' }
  }
  return openMachine({
    command: ['wine', node],
    env,
    toPath: (path) => `Z:${path.replaceAll('/', '\\')}`,
    fromPath: (path) => path.replaceAll('\\', '/').replace(/^Z:/i, '').replace(/^C:/i, join(prefix, 'drive_c')),
    close,
  })
}

const ARM_LIBRARIES = '/usr/aarch64-linux-gnu'

/** Linux on ARM as QEMU emulates it. */
export function openArm(): FoundMachine {
  if (!has('qemu-aarch64') || !existsSync(join(ARM_LIBRARIES, 'lib', 'libstdc++.so.6')))
    return { missing: 'install qemu-user, libc6-arm64-cross and libstdc++6-arm64-cross from Debian' }
  const node = findNode('linux-arm64')
  return typeof node === 'string' ? openMachine({ command: ['qemu-aarch64', '-L', ARM_LIBRARIES, node] }) : node
}
