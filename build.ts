import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole, buildView } from './packaging/console.ts'
import { buildScripts, writeFiles } from './packaging/scripts.ts'
import { operations } from './src/catalogue.ts'
import { buildManifest } from './src/mcp/surface.ts'
import { manifestFile } from './src/mcp/tools/manifest.ts'
import type { Toolset } from './src/mcp/tools/tools.ts'
import { version } from './src/runtime/package-files.ts'

// Bundles the program into dist/: main.js, one script for each worker, and chunks that are read when they are needed.

const root = fileURLToPath(new URL('./', import.meta.url))

const startedAt = performance.now()
const workers = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.worker.ts'))
  .map((file) => join('src', file))
const { files, metafile } = await buildScripts({
  entries: ['src/main.ts', ...workers],
  folder: join(root, 'dist'),
  hasMaps: true,
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

const [browser, view] = await Promise.all([buildConsole(root), buildView(root)])
const licenses = {
  path: join(root, 'dist', 'LICENSES.txt'),
  contents: readLicenses([...Object.keys(metafile.inputs), ...browser.inputs, ...view.inputs]),
}
const selections: Toolset[][] = [['agent'], ['admin'], ['agent', 'admin']]
const frames = selections.flatMap((toolsets) =>
  [false, true].map((readOnly) => {
    const frame = buildManifest({ operations, toolsets, readOnly, version })
    return { path: join(root, 'dist', manifestFile({ toolsets, readOnly })), contents: JSON.stringify(frame) }
  }),
)
rmSync(join(root, 'dist'), { recursive: true, force: true })
writeFiles([...files, ...frames, ...browser.files, view, licenses])
const scripts = files.filter(({ path }) => path.endsWith('.js'))
const bytes = scripts.reduce((sum, { contents }) => sum + Buffer.byteLength(contents), 0)
const tookMs = Math.round(performance.now() - startedAt)
process.stdout.write(`dist: ${scripts.length} files, ${Math.round(bytes / 1024)} KiB, built in ${tookMs} ms\n`)
const [scriptKb, styleKb, viewKb] = [browser.scriptBytes, browser.styleBytes, view.bytes].map((size) =>
  (size / 1024).toFixed(1),
)
process.stdout.write(
  `console: ${scriptKb} KiB of script and ${styleKb} KiB of style; view: ${viewKb} KiB, all compressed\n`,
)
