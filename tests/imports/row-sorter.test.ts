import { expect, it } from 'vitest'
import { openRowSorter } from '../../src/imports/apply/row-sorter.ts'
import { packBlock } from '../../src/imports/stage/import-block.ts'
import { safe } from '../support/safe-text.ts'

const facets = {
  detectorType: 'D',
  findingType: 'F',
  category: '',
  customDetectorKey: '',
  severity: 'LOW' as const,
  status: 'OPEN' as const,
}
const numbers = { firstDetectedAt: 1, lastDetectedAt: null, resolvedAt: null, confidence: 1, undated: 0 }
const blockOf = (key: string) => packBlock([safe({ ...numbers, fp: 1, asset: { key }, facets, excerpt: null })])

it.each(['b', 'c'])(
  'sorts in a worker blocks that share memory with others, as PostgreSQL returns them: %s',
  async (own) => {
    const [b, a] = [blockOf('b'), blockOf('a')]
    const memory = new Uint8Array(b.length + a.length + 8)
    const shared = [memory.subarray(0, b.length), memory.subarray(b.length, b.length + a.length)]
    for (const [index, block] of [b, a].entries()) shared[index]?.set(block)
    const sorter = openRowSorter(60_000)
    try {
      const again = () => {
        throw new Error('the worker was lost')
      }
      const { size, assets } = await sorter.sort([...shared, blockOf(own)], again)
      expect(size).toBe(3)
      expect(assets.map(({ key }) => String(key)).sort()).toEqual([...new Set(['a', 'b', own])].sort())
    } finally {
      sorter.close()
    }
  },
)
