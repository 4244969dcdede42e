import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { type BuildOptions, build, type Metafile } from 'esbuild'
import { bundleOptions } from './bundle-options.ts'

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

export interface ScriptsSettings {
  /** Paths below the root, such as `src/main.ts`. */
  entries: readonly string[]
  folder: string
  plugins?: BuildOptions['plugins']
  hasMaps: boolean
}

/** The files of the program in `folder`: a script for each entry, and chunks that are read when they are needed. */
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
    outdir: folder,
    plugins: [...plugins, ...bundleOptions.plugins],
    sourcemap: hasMaps,
    metafile: true,
    write: false,
  })
  return { files: outputFiles, metafile }
}
