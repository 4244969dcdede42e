import { fileURLToPath } from 'node:url'
import type { Plugin } from 'esbuild'
import { buildScripts, writeFiles } from '../../../packaging/scripts.ts'
import { light, type Peer } from './peer.ts'

const outdir = fileURLToPath(new URL('../../../node_modules/.cache/assay-bench/', import.meta.url))
const replacement = fileURLToPath(new URL('./sdk-stdio-entry.ts', import.meta.url))

const replaceTransport: Plugin = {
  name: 'replace-transport',
  setup(bundle) {
    bundle.onResolve({ filter: /[/\\]mcp[/\\]stdio[/\\]stdio\.ts$/ }, () => ({ path: replacement }))
  },
}

/** Bundles the program as it is shipped, except that the stdio transport of the SDK serves assistants. */
export async function buildOnSdkTransport(): Promise<Peer> {
  const settings = { entries: ['src/main.ts'], folder: outdir, plugins: [replaceTransport], hasMaps: false }
  writeFiles((await buildScripts(settings)).files)
  return { name: 'assay mcp on the transport of the SDK', args: [`${outdir}main.js`, 'mcp'], call: light }
}
