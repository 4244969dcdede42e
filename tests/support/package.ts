import { cpSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const shipped = ['dist', 'migrations', 'schemas', 'package.json']

/** The package as it would be installed, in a folder of its own; gives the file that is started. */
export function installPackage(
  target: string,
  how: 'whole' | 'without a binary' | 'with a damaged binary' | 'without the driver' = 'whole',
): string {
  for (const part of shipped) cpSync(join(root, part), join(target, part), { recursive: true })
  const modules = ['libphonenumber-js', ...(how === 'whole' ? ['better-sqlite3'] : [])]
  mkdirSync(join(target, 'node_modules'))
  for (const module of modules) symlinkSync(join(root, 'node_modules', module), join(target, 'node_modules', module))
  if (how === 'without a binary' || how === 'with a damaged binary') {
    const driver = join('node_modules', 'better-sqlite3')
    for (const part of ['lib', 'package.json', 'prebuilds']) {
      cpSync(join(root, driver, part), join(target, driver, part), { recursive: true })
    }
    for (const name of readdirSync(join(target, driver, 'prebuilds'))) {
      if (how === 'without a binary') rmSync(join(target, driver, 'prebuilds', name))
      else writeFileSync(join(target, driver, 'prebuilds', name), '')
    }
  }
  return join(target, 'dist', 'main.js')
}
