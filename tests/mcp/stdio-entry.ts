import process from 'node:process'
import { reserveStdout } from '../../src/mcp/stdio/stdout.ts'

// A stand-in for `assay mcp`: the door over stdio with the test catalogue, and a timer that would keep it alive for
// ever.
const stdout = reserveStdout()

async function serve(): Promise<void> {
  const { silentLog } = await import('../../src/runtime/log.ts')
  const { serveStdio } = await import('../../src/mcp/stdio/stdio.ts')
  const { createMcpSurface } = await import('../../src/mcp/surface.ts')
  const { contextFor, createLibrary, localPerson } = await import('./library.ts')

  setInterval(() => {}, 1000)
  const stopping = new AbortController()
  process.on('SIGTERM', () => stopping.abort())
  const { operations } = createLibrary()
  const toolsets = ['agent', 'admin'] as const
  const surface = createMcpSurface({ operations, toolsets, contextFor, version: '1.2.3', log: silentLog })
  await serveStdio({
    surface,
    caller: localPerson,
    stdin: process.stdin,
    stdout,
    signal: stopping.signal,
    log: silentLog,
  })
  process.exit(0)
}

void serve()
