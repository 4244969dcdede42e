import { afterAll, expect, test } from 'vitest'
import { makeHome, runAssay } from '../support/assay.ts'

const { home, remove } = makeHome()
afterAll(remove)

test('assay verify compares the engine with SQL about what is in the data folder', async () => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    JSON.stringify({
      asset: { key: `page-${index % 7}`, name: `Page ${index % 7}`, url: `https://wiki.invalid/${index % 7}` },
      detectorType: index % 2 === 0 ? 'SECRETS' : 'PII',
      findingType: `TYPE_${index % 5}`,
      severity: index % 3 === 0 ? 'HIGH' : 'LOW',
      confidence: (index % 11) / 10,
      value: `value ${index}`,
    }),
  )
  const imported = await runAssay(['import', '-', '--source', 'Scanner'], { home, stdin: `${lines.join('\n')}\n` })
  expect(imported.stderr).toBe('')
  const { code, stdout } = await runAssay(['verify', '--questions', '60', '--seed', '1'], { home })
  expect(stdout).toContain('60 questions about 40 findings: 0 with different answers')
  expect(code).toBe(0)
  expect((await runAssay(['verify', '--questions', 'many'], { home })).code).toBe(2)
}, 120_000)
