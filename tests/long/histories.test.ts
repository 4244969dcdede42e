import { expect, it } from 'vitest'
import { type Platform, runHistory } from '../scans/histories.ts'

const HISTORIES = 250
/** Of so many histories one has a scan whose process is killed. */
const KILL_EVERY = 5

it.each<Platform>(['WIKI', 'BI_PLATFORM'])(
  'after random histories of a tenant every finding has the state that a model of what was visible predicts (%s)',
  async (platform) => {
    const problems: string[] = []
    let kills = 0
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const outcome = await runHistory(platform, seed, { steps: 8, killed: seed % KILL_EVERY === 0 })
      problems.push(...outcome.problems)
      kills += outcome.kills
      if (outcome.problems.length > 0) process.stdout.write(`history ${seed}: ${outcome.problems.join('\n')}\n`)
      if (seed % 25 === 0) process.stdout.write(`${seed} histories of ${platform}, ${kills} kills\n`)
    }
    expect(problems).toEqual([])
    expect(kills).toBeGreaterThan(HISTORIES / KILL_EVERY / 2)
  },
)
