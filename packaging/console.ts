import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import { createDimensionItems } from '../src/findings/dimension-operations.ts'

const MAX_SCRIPT_BYTES = 90 * 1024
const MAX_STYLE_BYTES = 12 * 1024
const MAX_VIEW_BYTES = 30 * 1024

const icon =
  "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path fill='%233a56d4' d='M5 1h6v4l-2 2v2h4v3H3V9h4V7L5 5zM3 13h10v2H3z'/></svg>"

const toPage = (script: string, style: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Assay</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="/console/${style}">
<script type="module" src="/console/${script}"></script>
</head>
<body><div id="app"></div><noscript>The console needs JavaScript. /docs lists the REST API.</noscript></body>
</html>
`

export interface BuiltConsole {
  files: { path: string; contents: string | Uint8Array }[]
  inputs: string[]
  /** Compressed bytes. */
  scriptBytes: number
  styleBytes: number
}

const browserOptions = (root: string) =>
  ({
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { DIMENSIONS: JSON.stringify(createDimensionItems()) },
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  }) satisfies BuildOptions & { metafile: true; write: false }

/** Bundles the view for assistants into one page without references. */
export async function buildView(
  root: string,
): Promise<{ path: string; contents: string; inputs: string[]; bytes: number }> {
  const { outputFiles, metafile } = await build({
    ...browserOptions(root),
    entryPoints: { answer: 'src/view/answer.tsx' },
    outdir: 'dist/view',
  })
  const textOf = (extension: string) => outputFiles.find(({ path }) => path.endsWith(extension))?.text.trim() ?? ''
  const [script, style] = [textOf('.js'), textOf('.css')]
  if (/<\/script|<!--/i.test(script)) throw new Error('the script of the view would end early inside of its page')
  const contents = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Assay</title><meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><script type="module">${script}</script></body>
</html>
`
  const bytes = gzipSync(contents, { level: 9 }).length
  check('page of the view', bytes, MAX_VIEW_BYTES)
  return { path: join(root, 'dist', 'view', 'answer.html'), contents, inputs: Object.keys(metafile.inputs), bytes }
}

/** Bundles the console for the browser; its files are named by their content. */
export async function buildConsole(root: string): Promise<BuiltConsole> {
  const { outputFiles, metafile } = await build({
    ...browserOptions(root),
    entryPoints: { console: 'src/console/main.tsx' },
    outdir: 'dist/console',
    entryNames: '[name]-[hash]',
  })
  const find = (extension: string) => {
    const file = outputFiles.find(({ path }) => path.endsWith(extension))
    if (file === undefined) throw new Error(`the console has no ${extension} file`)
    return {
      name: file.path.replace(/^.*[/\\]/, ''),
      contents: file.contents,
      zipped: gzipSync(file.contents, { level: 9 }),
    }
  }
  const [script, style] = [find('.js'), find('.css')]
  check('script of the console', script.zipped.length, MAX_SCRIPT_BYTES)
  check('style sheet of the console', style.zipped.length, MAX_STYLE_BYTES)
  const folder = join(root, 'dist', 'console')
  return {
    files: [
      { path: join(folder, 'index.html'), contents: toPage(script.name, style.name) },
      ...[script, style].flatMap(({ name, contents, zipped }) => [
        { path: join(folder, name), contents },
        { path: join(folder, `${name}.gz`), contents: zipped },
      ]),
    ],
    inputs: Object.keys(metafile.inputs),
    scriptBytes: script.zipped.length,
    styleBytes: style.zipped.length,
  }
}

function check(what: string, bytes: number, most: number): void {
  if (bytes > most) throw new Error(`the ${what} has ${bytes} bytes compressed; at most ${most} are allowed`)
}
