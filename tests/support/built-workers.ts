import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { buildScripts } from '../../packaging/scripts.ts'
import { withoutTools } from './entry.ts'
import { builtWorkers } from './source-worker.ts'

// Bundles the workers of `src` and the entries of the tests before these run, and again before they run once more: together,
// because nearly all of the time is taken by what they share.

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = fileURLToPath(builtWorkers)
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

const list = (folder: string, pattern: RegExp) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => pattern.test(file))

async function buildWorkers(): Promise<void> {
  const { files } = await buildScripts({
    entries: [...list('src', /\.worker\.ts$/), ...list('tests', /^tests.(?!bench\b|long\b).*(?:-entry|\.worker)\.ts$/)],
    folder,
    plugins: [asSources, withoutTools],
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
  process.env.ASSAY_TEST_SCRIPTS = folder
  await buildWorkers()
  project.onTestsRerun(buildWorkers)
}
