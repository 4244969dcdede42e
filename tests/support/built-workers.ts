import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { buildScripts } from '../../packaging/scripts.ts'
import { builtWorkers } from './source-worker.ts'

// Bundles the workers of `src` before the tests run, and again before they run once more.

const root = fileURLToPath(new URL('../../', import.meta.url))
const starter = join(root, 'tests', 'support', 'source-worker.ts')

/** A bundle finds files of the package and further workers as the sources do. */
const asSources: Plugin = {
  name: 'as-sources',
  setup(bundle) {
    bundle.onResolve({ filter: /\/source-worker\.ts$/ }, () => ({ path: starter }))
    bundle.onLoad(
      { filter: /[/\\]runtime[/\\]package-files\.ts$|[/\\]support[/\\]source-worker\.ts$/ },
      ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
        loader: 'ts',
      }),
    )
  },
}

async function buildWorkers(): Promise<void> {
  const { files } = await buildScripts({
    entries: readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.worker.ts'))
      .map((file) => join('src', file)),
    folder: fileURLToPath(builtWorkers),
    plugins: [asSources],
    hasMaps: false,
  })
  for (const { path, contents } of files) {
    if (existsSync(path) && readFileSync(path).equals(Buffer.from(contents))) continue
    mkdirSync(dirname(path), { recursive: true })
    // Another run may read the file meanwhile.
    writeFileSync(`${path}.${process.pid}`, contents)
    renameSync(`${path}.${process.pid}`, path)
  }
}

// biome-ignore lint/style/noDefaultExport: Vitest calls the default export.
export default async function setUp(project: TestProject): Promise<void> {
  // It is called for each of the projects, too.
  if (!project.isRootProject()) return
  await buildWorkers()
  project.onTestsRerun(buildWorkers)
}
