// Reads one file as a scan does, and says what that cost: milliseconds of a core, and memory over what it had before.
import { readFileSync } from 'node:fs'
import { readDocument } from '../../src/documents/reader.ts'

const [file = '', small = '', filename = ''] = process.argv.slice(2)

async function read(): Promise<void> {
  // What is loaded at the first file of a kind is not the cost of this one.
  await readDocument(readFileSync(small), { filename })
  const bytes = readFileSync(file)
  globalThis.gc?.()
  const peakBytes = () => process.resourceUsage().maxRSS * 1024
  const [before, cpu] = [peakBytes(), process.cpuUsage()]
  await readDocument(bytes, { filename })
  const { user, system } = process.cpuUsage(cpu)
  process.stdout.write(JSON.stringify({ ms: (user + system) / 1000, grownBytes: peakBytes() - before }))
}

void read()
