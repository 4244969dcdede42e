import { expect, it } from 'vitest'
import { hostilePieces, repeat } from '../../detectors/hostile.ts'
import { hostileWorks } from '../../detectors/hostile-works.ts'

const MAX_MS = 2_000

it.each(Object.keys(hostileWorks))(
  'no hostile text of 2 MB takes %s two seconds of CPU time',
  (name) => {
    const slow = Object.values(hostilePieces)
      .flat()
      .filter((piece) => {
        const text = repeat(piece)
        const before = process.cpuUsage()
        hostileWorks[name]?.(text)
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1_000 > MAX_MS
      })
    expect(slow).toEqual([])
  },
  600_000,
)
