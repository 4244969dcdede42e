import type { OpenedApp } from '../app.ts'
import type { McpSurface } from '../mcp/protocol.ts'
import { createMcpSurface } from '../mcp/surface.ts'
import { findManifest } from '../mcp/tools/manifest.ts'
import { version } from '../runtime/package-files.ts'
import { createServerFinder } from '../runtime/served-address.ts'

/** The MCP surface for assistants, independent of transport. */
export function createSurface({ operations, config, contextFor, followWatches, log }: OpenedApp): McpSurface {
  const { toolsets, readOnly, home, port, publicUrl } = config
  const manifest = findManifest(config)
  const findServer = createServerFinder(home, () => Date.now())
  return createMcpSurface({
    operations,
    toolsets,
    readOnly,
    contextFor,
    followWatches,
    version,
    log,
    manifest,
    findConsole: () => findServer()?.url,
    usualAddress: publicUrl ?? `http://127.0.0.1:${port}`,
  })
}
