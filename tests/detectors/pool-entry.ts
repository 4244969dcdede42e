import { createDetectorPool } from '../../src/detectors/pool.ts'

/** Prints how many findings a document has, and leaves the pool open. */
const [document, request, script] = process.argv.slice(2).map((text) => JSON.parse(text))
const fingerprintKey = new Uint8Array(32)
const pool = createDetectorPool({ fingerprintKey, size: 1, budgetMs: 20_000, script: new URL(script) })

async function detect(): Promise<void> {
  const { findings } = await pool.run(document, request)
  process.stdout.write(String(findings.length))
}

void detect()
