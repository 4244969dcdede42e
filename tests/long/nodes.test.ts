import { spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { fetchNode, nodeLines } from '../support/nodes.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [ownLine] = process.versions.node.split('.')

it.each(nodeLines.filter((line) => line !== ownLine))('the whole suite passes on Node %s', async (line) => {
  const node = fetchNode(line)
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  // What this process runs for would make the suite believe that it is part of the long one.
  const own = Object.entries(process.env).filter(([name]) => !/^(?:VITEST|TEST|NODE_ENV|ASSAY_)/.test(name))
  const env = { ...Object.fromEntries(own), PATH: `${dirname(node)}${delimiter}${process.env.PATH}` }
  const child = spawn(node, [vitest, 'run', '--reporter=dot'], { cwd: root, env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const end = await new Promise((resolve) => child.once('close', (code, signal) => resolve(signal ?? code)))
  expect(end, output.slice(-20_000)).toBe(0)
})
