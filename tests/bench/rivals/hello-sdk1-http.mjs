import { createServer } from 'node:http'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

const inputSchema = { name: z.string() }
const outputSchema = { text: z.string() }

/** Stateless, as the SDK's own example does it: a server and a transport for each request. */
const http = createServer(async (request, response) => {
  const server = new McpServer({ name: 'hello', version: '1.0.0' })
  server.registerTool('hello', { title: 'Hello', description: 'Greets.', inputSchema, outputSchema }, async (input) => {
    const structuredContent = { text: `Hello, ${input.name}` }
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  })
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true })
  response.on('close', () => {
    transport.close()
    server.close()
  })
  await server.connect(transport)
  await transport.handleRequest(request, response)
})
http.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${http.address().port}\n`))
