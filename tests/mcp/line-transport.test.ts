import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { LineTransport } from '../../src/mcp/stdio/line-transport.ts'

test('a line without an end closes the connection at 10 MiB', async () => {
  const input = new PassThrough()
  const faults: string[] = []
  const transport = new LineTransport({
    ...{ input, output: new PassThrough(), shortcuts: {} as never, connect: () => {} },
    reportFault: ({ message }) => faults.push(message),
  })
  transport.open()
  const block = Buffer.alloc(1_048_576, 'x')
  for (let sent = 0; sent < 10; sent++) input.emit('data', block)
  expect(faults).toEqual([])
  input.emit('data', block)
  expect(faults).toEqual([expect.stringContaining('10 MiB')])
  await transport.closed
})
