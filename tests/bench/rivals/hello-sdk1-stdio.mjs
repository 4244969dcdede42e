import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { z } from 'zod'

const server = new McpServer({ name: 'hello', version: '1.0.0' })
server.registerTool(
  'hello',
  { title: 'Hello', description: 'Greets.', inputSchema: { name: z.string() }, outputSchema: { text: z.string() } },
  async ({ name }) => {
    const structuredContent = { text: `Hello, ${name}` }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  },
)
await server.connect(new StdioServerTransport())
