import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Leaves out parts of packages that are never used here but would be read at each start. */
const unread: Plugin = {
  name: 'unread',
  setup(bundle) {
    // Answers are validated by the schemas of the operations, so the SDK's validator is never called.
    bundle.onLoad({ filter: /@modelcontextprotocol[/\\]server[/\\]dist[/\\]shimsNode\.mjs$/ }, () => ({
      contents:
        "import process from 'node:process'\nclass DefaultJsonSchemaValidator {}\nexport { DefaultJsonSchemaValidator, process }",
    }))
    // Only sources start sources.
    bundle.onLoad({ filter: /[/\\]src[/\\]runtime[/\\]source-worker\.ts$/ }, () => ({
      contents: 'export const startSourceWorker = undefined',
    }))
    bundle.onLoad({ filter: /zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js'",
      resolveDir: dirname(path),
    }))
  },
}

/** A chunk has another path than its sources, so `import.meta.url` becomes the path that each source would have. */
const placed: Plugin = {
  name: 'placed',
  setup(bundle) {
    bundle.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, ({ path }) => {
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

/** Options for every bundle of the program; entry points and output folder are added by the caller. */
export const bundleOptions = {
  absWorkingDir: root,
  outbase: 'src',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.21',
  // Native code stays a package of its own.
  external: ['better-sqlite3'],
  // Its main file requires the others by a name that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  plugins: [unread, placed],
  minifySyntax: true,
  minifyWhitespace: true,
  // What bundled CommonJS packages require of Node.js.
  banner: { js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);" },
  legalComments: 'none',
  sourcesContent: false,
  logLevel: 'warning',
} satisfies BuildOptions
