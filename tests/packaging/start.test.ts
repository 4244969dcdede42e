import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { buildManifest } from '../../src/mcp/surface.ts'
import { manifestFile, type ToolManifest } from '../../src/mcp/tools/manifest.ts'
import type { Toolset } from '../../src/mcp/tools/tools.ts'
import { version } from '../../src/runtime/package-files.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** The sources that are read when one is: what it imports, and so on, but for what is imported late. */
function listRead(metafile: Metafile, entry: string): string[] {
  const read = new Set<string>()
  const visit = (path: string) => {
    if (read.has(path)) return
    read.add(path)
    for (const { path: next, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== 'dynamic-import' && external !== true) visit(next)
    }
  }
  visit(entry)
  return [...read]
}

it('loads no code for PostgreSQL where the database is a file', async () => {
  const entries = [
    'program',
    'app',
    'commands/serve',
    'commands/stdio',
    'background/query.worker',
    'background/scan.worker',
  ]
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: entries.map((entry) => `src/${entry}.ts`),
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
  })
  const read = new Set(entries.flatMap((entry) => listRead(metafile, `src/${entry}.ts`)))
  expect(read).toContain('src/store/open-store.ts')
  expect([...read].filter((path) => path.startsWith('src/store/postgres/'))).toEqual([])
})

describe('assay mcp', () => {
  it('lists its tools before it has loaded the query engine', async () => {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['src/program.ts', 'src/commands/stdio.ts', 'src/mcp/stdio/stdout.ts'],
      outdir: 'dist',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      packages: 'external',
      write: false,
      metafile: true,
    })
    const early = ['src/program.ts', 'src/commands/stdio.ts', 'src/mcp/stdio/stdout.ts'].flatMap((entry) =>
      listRead(metafile, entry),
    )
    const small = new Set([
      'src/connectors/http/loopback.ts',
      'src/connectors/http/proxy.ts',
      'src/query/answer/format.ts',
    ])
    const rooms = new Set(
      early.filter((path) => !small.has(path)).map((path) => /^src\/([a-z]+)\//.exec(path)?.[1] ?? path),
    )
    for (const late of ['detectors', 'documents', 'connectors', 'query', 'scans', 'metrics', 'http', 'sample']) {
      expect([...rooms]).not.toContain(late)
    }
    expect(early).not.toContain('src/catalogue.ts')
  })

  const selections: { toolsets: Toolset[]; readOnly: boolean }[] = [['agent'], ['admin'], ['agent', 'admin']].flatMap(
    (toolsets) => [false, true].map((readOnly) => ({ toolsets: toolsets as Toolset[], readOnly })),
  )
  it.each(selections)('lists the tools of the catalogue: $toolsets, read only $readOnly', (selection) => {
    const built = JSON.parse(readFileSync(`${root}dist/${manifestFile(selection)}`, 'utf8')) as ToolManifest
    expect(built).toEqual(JSON.parse(JSON.stringify(buildManifest({ operations, ...selection, version }))))
  })
})
