import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const script = new URL('../../src/runtime/young-generation.ts', import.meta.url).href
const code = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { keepYoungSmall, letYoungGrow } from ${JSON.stringify(script)}
  const measure = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size
  const kept = []
  const fill = () => { for (let n = 0; n < 400_000; n++) kept.push({ n }) }
  keepYoungSmall()
  // The first collection reserves the second half of the space.
  gc({ type: 'minor' })
  const sizes = [measure()]
  fill()
  sizes.push(measure())
  letYoungGrow()
  fill()
  sizes.push(measure())
  console.log(JSON.stringify(sizes))`

it('keeps the size of the young generation until there is work', () => {
  const output = execFileSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  const [before = 0, held = 0, grown = 0] = JSON.parse(output) as number[]
  expect(held).toBe(before)
  expect(grown).toBeGreaterThan(before)
})
