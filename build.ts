import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { operations } from './src/catalogue.ts'
import { buildManifest } from './src/mcp/surface.ts'
import { manifestFile } from './src/mcp/tools/manifest.ts'
import type { Toolset } from './src/mcp/tools/tools.ts'
import { version } from './src/runtime/package-files.ts'

// Bundles the program into dist/: main.js, one script for each worker, and chunks that are read when they are needed.

const root = fileURLToPath(new URL('./', import.meta.url))

/** Native code stays a package of its own. */
const external = ['better-sqlite3']

/** What is shipped by others and never used here, although it would be read at each start. */
const unread: Plugin = {
  name: 'unread',
  setup(bundling) {
    // Answers are built and checked by the operations' own schemas; the SDK's validator is never asked.
    bundling.onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents:
        "import process from 'node:process'\nclass DefaultJsonSchemaValidator {}\nexport { DefaultJsonSchemaValidator, process }",
    }))
    bundling.onLoad({ filter: /zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: dirname(path),
    }))
  },
}

/** A chunk lies elsewhere than the source it came from, so each source is told where it would lie by itself. */
const placed: Plugin = {
  name: 'placed',
  setup(bundling) {
    bundling.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8')
      const installation = join(root, 'src', 'runtime', 'package-files.ts')
      if (!source.includes('import.meta.url') || path === installation) return { contents: source, loader: 'ts' }
      const place = relative(root, path)
        .replaceAll('\\', '/')
        .replace(/^src\/(.*)\.ts$/, 'dist/$1.js')
      const told = source.replaceAll('import.meta.url', `packageFileHere('${place}').href`)
      const from = JSON.stringify(installation)
      return { contents: `${told}\nimport { packageFile as packageFileHere } from ${from}\n`, loader: 'ts' }
    })
  },
}

const startedAt = performance.now()
const workers = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.worker.ts'))
  .map((file) => join('src', file))
const { outputFiles, metafile } = await build({
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
  // Its main file requires the others by a name that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [placed, unread],
  // Some packages are CommonJS and require Node's own modules.
  banner: {
    js: "import { createRequire as createRequireHere } from 'node:module'\nconst require = createRequireHere(import.meta.url)",
  },
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  // Read with `node --enable-source-maps`; the package leaves them out.
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  write: false,
  logLevel: 'warning',
})
/** The bundle holds other people's work, so it carries their terms. */
function readLicenses(inputs: readonly string[]): string {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0])
  return [...new Set(folders)]
    .filter((folder) => folder !== undefined)
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
      const file = readdirSync(join(root, folder)).find((entry) => /^(?:licen[cs]e|copying)(?:\.|$)/i.test(entry))
      const terms = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim()
      return `${name} ${version} (${license})\n\n${terms}\n`
    })
    .join('\n----\n\n')
}

const licenses = { path: join(root, 'dist', 'LICENSES.txt'), contents: readLicenses(Object.keys(metafile.inputs)) }
const selections: Toolset[][] = [['agent'], ['admin'], ['agent', 'admin']]
const frames = selections.flatMap((toolsets) =>
  [false, true].map((readOnly) => {
    const frame = buildManifest({ operations, toolsets, readOnly, version })
    return { path: join(root, 'dist', manifestFile({ toolsets, readOnly })), contents: JSON.stringify(frame) }
  }),
)
rmSync(join(root, 'dist'), { recursive: true, force: true })
for (const { path, contents } of [...outputFiles, ...frames, licenses]) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, contents)
}
const scripts = outputFiles.filter(({ path }) => path.endsWith('.js'))
const bytes = scripts.reduce((sum, { contents }) => sum + contents.byteLength, 0)
const tookMs = Math.round(performance.now() - startedAt)
process.stdout.write(`dist: ${scripts.length} files, ${Math.round(bytes / 1024)} KiB, built in ${tookMs} ms\n`)
