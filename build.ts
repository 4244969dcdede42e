import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

// Bundles the program into dist/: main.js, one script for each worker, and chunks that are read when they are needed.

const root = fileURLToPath(new URL('./', import.meta.url))

/** Native code stays a package of its own. */
const external = ['better-sqlite3']

/** A chunk lies elsewhere than the source it came from, so one file alone may ask where the program is. */
const placeless: Plugin = {
  name: 'placeless',
  setup(bundling) {
    bundling.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8')
      const asks = /import\.meta\.url|new Worker\(\s*new URL/.test(contents)
      if (!asks || path.endsWith('installation.ts')) return { contents, loader: 'ts' }
      const text = `${relative(root, path)}: use packageFile or startWorker of src/kernel/installation.ts instead of import.meta.url`
      return { errors: [{ text }] }
    })
  },
}

const startedAt = performance.now()
const workers = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.worker.ts'))
  .map((file) => join('src', file))
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/main.ts', ...workers],
  outdir: 'dist',
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external,
  plugins: [placeless],
  // Some packages are CommonJS and require Node's own modules.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'\nconst require = createRequireHere(import.meta.url)",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  write: false,
  logLevel: 'warning',
})
rmSync(join(root, 'dist'), { recursive: true, force: true })
for (const { path, contents } of outputFiles) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}
const bytes = outputFiles.reduce((sum, { contents }) => sum + contents.byteLength, 0)
const tookMs = Math.round(performance.now() - startedAt)
process.stdout.write(`dist: ${outputFiles.length} files, ${Math.round(bytes / 1024)} KiB, built in ${tookMs} ms\n`)
