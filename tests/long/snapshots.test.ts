import { expect, test } from 'vitest'
import { damageSnapshots } from '../engine/snapshots.ts'
import { SeededRandom } from '../properties/query-data.ts'

const COUNT = Number(process.env.ASSAY_SNAPSHOTS ?? 1000)
const SEED = Number(process.env.ASSAY_SNAPSHOT_SEED ?? 17)

test(`${COUNT} damaged, foreign, older and newer snapshots never lead to a wrong answer`, async () => {
  const { used, unused, differences } = await damageSnapshots(COUNT, new SeededRandom(SEED))
  process.stderr.write(`${used} used, ${JSON.stringify(unused)}\n`)
  expect(differences).toBe(0)
  expect(used).toBeGreaterThan(COUNT / 20)
}, 3_600_000)
