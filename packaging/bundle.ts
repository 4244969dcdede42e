import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zipSync } from 'fflate'
import { readPackage, toManifest } from './mcpb.ts'

// Writes assay.mcpb: the built program, what it reads, and the packages that it does not bundle. It runs on the Node.js
// of the host, on each platform that the native module has a binary for.

const root = fileURLToPath(new URL('../', import.meta.url))
const shipped = ['dist', 'migrations', 'models', 'sample-company', 'schemas', 'package.json', 'README.md', 'LICENSE']
const unbundled = ['better-sqlite3', 'libphonenumber-js'].map((name) => join('node_modules', name))
/** Sources of the native module, source maps, and what V8 has compiled here. */
const needless = /\.map$|dist[/\\]code-cache[/\\]|better-sqlite3[/\\](?:deps[/\\]|src[/\\]|build[/\\]|binding\.gyp$)/

const files: Record<string, Uint8Array> = {
  'manifest.json': Buffer.from(`${JSON.stringify(toManifest(readPackage()), null, 2)}\n`),
}
for (const part of [...shipped, ...unbundled]) {
  const paths = statSync(join(root, part)).isDirectory()
    ? readdirSync(join(root, part), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
    : [join(root, part)]
  for (const path of paths.filter((each) => !needless.test(each))) {
    files[path.slice(root.length).replaceAll('\\', '/')] = readFileSync(path)
  }
}
const target = process.argv[2] ?? join(root, 'assay.mcpb')
writeFileSync(target, zipSync(files))
process.stdout.write(`${target}: ${Object.keys(files).length} files\n`)
