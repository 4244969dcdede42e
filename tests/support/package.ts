import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const shipped = ['dist', 'migrations', 'schemas', 'package.json']

/** The package as it would be installed, in a folder of its own; gives the file that is started. */
export function installPackage(
  target: string,
  how: 'whole' | 'without native code' | 'without the driver' = 'whole',
): string {
  for (const part of shipped) cpSync(join(root, part), join(target, part), { recursive: true })
  const modules = ['libphonenumber-js', 'bindings', 'file-uri-to-path', ...(how === 'whole' ? ['better-sqlite3'] : [])]
  mkdirSync(join(target, 'node_modules'))
  for (const module of modules) symlinkSync(join(root, 'node_modules', module), join(target, 'node_modules', module))
  if (how === 'without native code') {
    for (const part of ['lib', 'package.json']) {
      const path = join('node_modules', 'better-sqlite3', part)
      mkdirSync(dirname(join(target, path)), { recursive: true })
      cpSync(join(root, path), join(target, path), { recursive: true })
    }
    // As an install without scripts leaves it, wherever the driver looks for what it loads.
    rmSync(join(target, 'node_modules', 'bindings'))
    cpSync(join(root, 'node_modules', 'bindings'), join(target, 'node_modules', 'bindings'), { recursive: true })
  }
  return join(target, 'dist', 'main.js')
}
