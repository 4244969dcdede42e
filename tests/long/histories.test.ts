import { expect, it } from 'vitest'
import { runHistory } from '../scans/histories.ts'

const HISTORIES = 500

it('random histories of a BI tenant leave every finding as one who knew what was visible when would say', async () => {
  const problems: string[] = []
  for (let seed = 1; seed <= HISTORIES; seed++) problems.push(...(await runHistory(seed, 8)))
  process.stdout.write(`${HISTORIES} histories\n`)
  expect(problems).toEqual([])
})
