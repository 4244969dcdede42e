import type { OpenedApp } from './app.ts'
import type { Host } from './cli/host.ts'
import { version } from './kernel/installation.ts'
import type { McpSurface } from './mcp/protocol.ts'
import { serveStdio } from './mcp/stdio.ts'
import { createMcpSurface } from './mcp/surface.ts'

/** What assistants are offered, over whichever transport. */
export function createSurface(app: OpenedApp): McpSurface {
  const { operations, config, contextFor, log } = app
  return createMcpSurface({
    operations,
    toolsets: config.toolsets,
    readOnly: config.readOnly,
    contextFor,
    version,
    log,
  })
}

/** The assistant's host waits two seconds in all; answers in flight have most of them. */
const CLOSE_MS = 600

/** `assay mcp`: until the assistant goes away, or the process is asked to stop. */
export async function speakOverStdio(app: OpenedApp, { stdin, stdout, signal }: Host): Promise<void> {
  try {
    const surface = createSurface(app)
    if (app.config.background) app.startBackground()
    await serveStdio({ surface, caller: { ...app.caller, via: 'mcp' }, stdin, stdout, signal, log: app.log })
  } finally {
    await Promise.race([app.close(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
  }
}
