import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { bundleOptions } from '../../packaging/bundle-options.ts'

/** Helpers of tests name these for what only tests call; they take longer to load than the rest of a script. */
export const withoutTools: Plugin = {
  name: 'without-tools',
  setup(bundle) {
    bundle.onResolve({ filter: /^(?:vitest|esbuild)$/ }, ({ path }) => ({ path, namespace: 'absent' }))
    bundle.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'module.exports = {}' }))
  },
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const built = new Map<string, Promise<string>>()

/** The script that `built-workers.ts` has made of an entry, if it runs before these tests and knows that entry. */
function findBuilt(entry: URL): string | undefined {
  const { ASSAY_TEST_SCRIPTS: folder } = process.env
  const script = join(folder ?? '', relative(root, fileURLToPath(entry)).replace(/\.ts$/, '.js'))
  return folder !== undefined && existsSync(entry) && existsSync(script) ? script : undefined
}

/** A script of the tests with its packages, which starts as fast as the program: many processes run it. */
export async function buildEntry(entry: URL): Promise<string> {
  const known = findBuilt(entry) ?? built.get(entry.href)
  if (known !== undefined) return known
  const folder = fileURLToPath(new URL('../../node_modules/.cache/assay-tests/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}${basename(entry.pathname, '.ts')}-${process.pid}.mjs`
  const made = build({
    ...bundleOptions,
    entryPoints: [fileURLToPath(entry)],
    outfile,
    splitting: false,
    plugins: [withoutTools, ...bundleOptions.plugins],
    logLevel: 'error',
  }).then(() => outfile)
  built.set(entry.href, made)
  return made
}

export interface RunningEntry {
  child: ChildProcess
  /** All that it has printed so far. */
  output: () => string
  /** Its exit code; null when a signal ended it. */
  ended: Promise<number | null>
}

export const startEntry = async (entry: URL, args: readonly string[]): Promise<RunningEntry> =>
  startScript(await buildEntry(entry), args)

export function startScript(script: string, args: readonly string[]): RunningEntry {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, output: () => text, ended }
}

/** Waits until a script has printed something. */
export async function untilPrinted({ output, ended }: RunningEntry, text: string): Promise<void> {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  while (!output().includes(text)) {
    if (isOver) throw new Error(`the script ended without '${text}': ${output()}`)
    await sleep(5)
  }
}
