import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay-nodes')

/**
 * The folder of the newest package of the npm registry that has a name and a tag or range of versions. It is kept in a
 * folder of a cache outside the project, and is the cached one if the registry cannot be reached.
 * @throws Error if the registry does not answer and the cache is empty
 */
export function fetchPackage(name: string, versions: string, kept: string): string {
  const folder = join(cache, kept)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n')
  const install = ['install', '--ignore-scripts', '--force', '--no-audit', '--no-fund', `${name}@${versions}`]
  const { stderr } = spawnSync('npm', install, { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' })
  const home = join(folder, 'node_modules', name)
  if (!existsSync(join(home, 'package.json')))
    throw new Error(`${name}@${versions} cannot be had: ${stderr.trim().slice(-300)}`)
  return home
}
