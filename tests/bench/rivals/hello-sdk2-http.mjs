import { serve } from '@hono/node-server'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const inputSchema = z.object({ name: z.string() })
const outputSchema = z.object({ text: z.string() })

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'hello', version: '1.0.0' })
  server.registerTool('hello', { title: 'Hello', description: 'Greets.', inputSchema, outputSchema }, async (input) => {
    const structuredContent = { text: `Hello, ${input.name}` }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  })
  return server
})
serve({ fetch: (request) => handler.fetch(request), hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`http://127.0.0.1:${port}\n`),
)
