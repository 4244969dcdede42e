import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { openApp } from '../../src/app.ts'
import type { Check } from '../../src/cli/host.ts'
import { loadConfig } from '../../src/config.ts'
import { type Examination, examine } from '../../src/doctor/examine.ts'
import { call } from '../../src/operation/operation.ts'
import { backUp, nameBackup } from '../../src/store/backup.ts'
import { mainFile } from '../support/assay.ts'
import { runOnTerminal } from '../support/terminal.ts'

/** A person with a home folder of their own, a healthy data folder in it, and the commands that a person has. */
export interface Patient {
  /** The data folder. */
  home: string
  /** The home folder of the person. */
  person: string
  env: Record<string, string | undefined>
  examine(options?: {
    deep?: boolean
    repair?: boolean
    home?: string
    port?: number
    limits?: Examination['limits']
  }): Promise<Check[]>
  /** One check, as it is now. */
  see(
    name: string,
    options?: { deep?: boolean; home?: string; port?: number; limits?: Examination['limits'] },
  ): Promise<Check>
  /** Runs a command as a shell would; gives what it printed. */
  shell(command: string): string
  /** Runs one command line of the program in this process, with the words that a shell would make of it. */
  run(command: string): Promise<void>
  /** Runs the commands that a check names, those of the program in this process where they need no shell. */
  follow(fix: string): Promise<void>
  /** Changes the database behind the back of the program. */
  tamper(sql: string): void
  backUp(): void
  operate(name: string, input: object): Promise<unknown>
}

/** A command line of the program, without what only a shell understands. */
const isOneCommand = /^assay (?!doctor|mcp)[^&|;<>$~*]*$/

let healthy: Promise<string> | undefined

/** A data folder to copy, which is several times as fast as making one. */
async function makeHealthy(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'assay-healthy-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  const app = await openApp(loadConfig({ home, logLevel: 'silent' }, {}), {})
  await app.close()
  return home
}

export async function admit(): Promise<Patient> {
  const person = mkdtempSync(join(tmpdir(), 'assay-doctor-'))
  onTestFinished(() => rmSync(person, { recursive: true, force: true }))
  const home = join(person, 'data')
  const bin = join(person, 'bin')
  mkdirSync(bin)
  healthy ??= makeHealthy()
  cpSync(await healthy, home, { recursive: true })
  // Some versions of Node.js do not copy the mode of a folder.
  chmodSync(home, 0o700)
  writeFileSync(join(bin, 'assay'), `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`)
  chmodSync(join(bin, 'assay'), 0o755)
  const path = `${bin}${delimiter}${process.env.PATH}`
  const env: Patient['env'] = { HOME: person, ASSAY_HOME: home, ASSAY_PORT: '0', PATH: path }
  const open = (folder = home, port?: number) => {
    const config = loadConfig({ home: folder, logLevel: 'silent', ...(port === undefined ? {} : { port }) }, env)
    return { config, env, open: () => openApp(config, env) }
  }
  const patient: Patient = {
    home,
    person,
    env,
    examine: ({ deep = false, repair = false, home: folder, port, limits } = {}) =>
      examine({ ...open(folder, port), deep, repair, ...(limits === undefined ? {} : { limits }) }),
    see: async (name, options) => {
      const checks = await patient.examine(options)
      const found = checks.find((check) => check.name === name)
      if (found === undefined) throw new Error(`no check ${name}: ${JSON.stringify(checks)}`)
      return found
    },
    shell: (command) => execFileSync('sh', ['-c', command], { env, cwd: person, encoding: 'utf8', stdio: 'pipe' }),
    run: async (command) => {
      const [, ...argv] = Array.from(command.matchAll(/'([^']*)'|\S+/g), ([word, quoted]) => quoted ?? word)
      const ran = await runOnTerminal(argv, {
        env,
        open: (flags) => openApp(loadConfig({ home, logLevel: 'silent', ...flags }, env), env),
        locate: (flags) => ({ home: flags.home ?? home, env, networkFolder: false }),
      })
      if (ran.code !== 0) throw new Error(ran.stderr)
    },
    follow: async (fix) => {
      for (const command of fix.split(' && ')) {
        if (isOneCommand.test(command)) await patient.run(command)
        else patient.shell(command)
      }
    },
    tamper: (sql) => {
      const database = new Database(join(home, 'assay.db'))
      database.pragma('foreign_keys = OFF')
      database.exec(sql)
      database.close()
    },
    backUp: () => {
      const file = nameBackup(home, Date.now())
      if (!existsSync(file)) backUp(join(home, 'assay.db'), file)
    },
    operate: async (name, input) => {
      const opened = await openApp(open().config, env)
      try {
        const operation = opened.operations.find((candidate) => candidate.name === name)
        if (operation === undefined) throw new Error(`there is no operation ${name}`)
        const signal = new AbortController().signal
        return await call(operation, input, opened.contextFor({ caller: opened.caller, signal }))
      } finally {
        await opened.close()
      }
    },
  }
  return patient
}

/** The command at the end of what mends a check. */
export const commandOf = ({ fix = '' }: Check): string => /(?:^|: )([^:]*(?::[^ ][^:]*)*)$/.exec(fix)?.[1] ?? fix
