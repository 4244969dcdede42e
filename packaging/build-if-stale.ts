import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Builds dist/ unless it is newer than everything it is made of.

const root = fileURLToPath(new URL('../', import.meta.url))
const files = ['build.ts', 'packaging/bundle-options.ts', 'package.json', 'package-lock.json', 'tsconfig.json']

/** Folders are looked at too: a file that was removed changes only these. */
const sources = [
  'src',
  ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).map((path) => join('src', path)),
]
const builtAt = statSync(join(root, 'dist', 'main.js'), { throwIfNoEntry: false })?.mtimeMs ?? 0
if ([...files, ...sources].some((path) => statSync(join(root, path)).mtimeMs > builtAt)) await import('../build.ts')
