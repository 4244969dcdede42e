import { afterAll, expect, test } from 'vitest'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, runAssay } from '../support/assay.ts'

const { home, remove } = makeHome()
afterAll(remove)

test('assay verify compares answers of the engine and SQL over the data folder', async () => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({
      asset: { key: `file-${index % 7}`, name: `File ${index % 7}`, container: `shop ${index % 3}` },
      detectorType: index % 2 === 0 ? 'YARA' : 'LICENSE',
      findingType: `TYPE_${index}`,
      severity: index % 3 === 0 ? 'HIGH' : 'LOW',
      firstDetectedAt: `2026-10-${10 + (index % 20)}T08:00:00Z`,
    }),
  )
  const { run } = openLastingCommandLine({}, { home })
  const imported = await run(['import', '-', '--source', 'Scanner'], `${lines.join('\n')}\n`)
  expect([imported.code, imported.stderr]).toEqual([0, ''])
  const { code, stdout } = await runAssay(['verify', '--questions', '60', '--seed', '1'], { home })
  expect(stdout).toContain('60 queries about 40 findings: 0 with different results')
  expect(code).toBe(0)
  expect((await run(['verify', '--questions', 'many'])).code).toBe(2)
}, 120_000)
