import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { serveStdio } from '../../src/mcp/stdio/stdio.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { contextFor, createLibrary, localPerson } from './library.ts'

test('a connection ends when its parent process is gone, although the pipe stays open', async () => {
  const { operations } = createLibrary()
  const surface = createMcpSurface({ operations, toolsets: ['agent'], contextFor, version: '1', log: silentLog })
  let parent = 4711
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const over = serveStdio({
    ...{ surface, caller: localPerson, stdin, stdout, signal: new AbortController().signal, log: silentLog },
    parentPid: () => parent,
  })
  parent = 1
  await over
  expect([stdin.readableEnded, stdin.destroyed, stdout.destroyed]).toEqual([false, false, false])
})
