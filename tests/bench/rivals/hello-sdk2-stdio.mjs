import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

serveStdio(() => {
  const server = new McpServer({ name: 'hello', version: '1.0.0' })
  server.registerTool(
    'hello',
    {
      title: 'Hello',
      description: 'Greets.',
      inputSchema: z.object({ name: z.string() }),
      outputSchema: z.object({ text: z.string() }),
    },
    async ({ name }) => {
      const structuredContent = { text: `Hello, ${name}` }
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  )
  return server
})
