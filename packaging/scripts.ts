import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build, type Metafile, transform } from 'esbuild'
import { bundleOptions } from './bundle-options.ts'

// The program as scripts that `src/runtime/loader.ts` loads: chunks that are read when they are needed.

const root = fileURLToPath(new URL('../', import.meta.url))

// esbuild runs as a process in Go, which spends two fifths of its time on collecting garbage unless it is let grow.
process.env.GOGC ??= '400'

export interface BuiltFile {
  path: string
  contents: Uint8Array | string
}

export function writeFiles(files: readonly BuiltFile[]): void {
  for (const { path, contents } of files) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, contents)
  }
}

const { platform, target, minifySyntax, minifyWhitespace, legalComments, sourcesContent, logLevel } = bundleOptions

/**
 * How esbuild ends the exports of a module; the copy that it makes of them would be a detour for each call. `__esModule`
 * tells `import()` in another chunk that `default` is among them.
 */
const COPIED_EXPORTS = /module\.exports ?= ?__toCommonJS\((\w+)\);/

const OWN_URL = {
  define: { 'import.meta.url': 'urlHere' },
  banner: 'const urlHere=require("node:url").pathToFileURL(__filename).href;',
}

/** A chunk as CommonJS, which is compiled and linked in a fraction of the time that modules take. */
async function toScript(path: string, chunk: string, hasMap: boolean): Promise<BuiltFile[]> {
  const { code, map } = await transform(chunk, {
    format: 'cjs',
    ...{ platform, target, minifySyntax, minifyWhitespace, legalComments, logLevel },
    // The loader's `require` is the only one that knows the scripts.
    supported: { 'dynamic-import': false },
    ...(chunk.includes('import.meta.url') ? OWN_URL : {}),
    ...(hasMap ? { sourcemap: 'external', sourcesContent, sourcefile: path } : {}),
  })
  const contents = code.replace(COPIED_EXPORTS, '__defProp($1,"__esModule",{value:!0});module.exports=$1;')
  if (contents.includes('__toCommonJS(')) throw new Error(`the exports of ${path} were not recognized`)
  if (!hasMap) return [{ path, contents }]
  const name = path.slice(path.lastIndexOf('/') + 1)
  return [
    { path, contents: `${contents}//# sourceMappingURL=${name}.map\n` },
    { path: `${path}.map`, contents: map },
  ]
}

/** The loader as `loader.js` in a folder. */
export async function buildLoader(folder: string): Promise<BuiltFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/runtime/loader.ts'],
    outfile: join(folder, 'loader.js'),
    bundle: true,
    format: 'cjs',
    ...{ platform, target },
    write: false,
  })
  return outputFiles
}

/** What starts a script by the loader. */
function toStub(folder: string, name: string): BuiltFile {
  const path = join(folder, `${name}.js`)
  const loader = `./${relative(dirname(path), join(folder, 'loader.js')).replaceAll('\\', '/')}`
  const shebang = name === 'main' ? '#!/usr/bin/env node\n' : ''
  return { path, contents: `${shebang}require(${JSON.stringify(loader)}).run(${JSON.stringify(name)})\n` }
}

export interface ScriptsSettings {
  /** Paths below the root, such as `src/main.ts`. */
  entries: readonly string[]
  folder: string
  plugins?: BuildOptions['plugins']
  hasMaps: boolean
}

/** The files of the program in `folder`: the loader, and for each entry a script that starts it. */
export async function buildScripts({
  entries,
  folder,
  plugins = [],
  hasMaps,
}: ScriptsSettings): Promise<{ files: BuiltFile[]; metafile: Metafile }> {
  const named = entries.map((path) => ({ in: path, out: path.replace(/\.ts$/, '').replace(/^src[/\\]/, '') }))
  const { outputFiles, metafile } = await build({
    ...bundleOptions,
    entryPoints: named,
    outdir: join(folder, 'scripts'),
    plugins: [...plugins, ...bundleOptions.plugins],
    sourcemap: hasMaps ? 'inline' : false,
    metafile: true,
    write: false,
  })
  const scripts = await Promise.all(outputFiles.map(({ path, text }) => toScript(path, text, hasMaps)))
  return {
    files: [
      ...scripts.flat(),
      ...(await buildLoader(folder)),
      ...named.map(({ out }) => toStub(folder, out.replaceAll('\\', '/'))),
      // The package as a whole has ECMAScript modules.
      { path: join(folder, 'package.json'), contents: '{ "type": "commonjs" }\n' },
    ],
    metafile,
  }
}
