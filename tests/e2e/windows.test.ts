import { expect, it, onTestFinished } from 'vitest'
import { makeHome, runAssay } from '../support/assay.ts'
import { cases, maxMs } from '../support/long.ts'
import { closeWindow, listLeft, openWindow } from './windows.ts'

const AT_ONCE = 4

it(
  'assistant windows leave no process running after two seconds, whether they are closed or killed',
  async () => {
    const { home, remove } = makeHome()
    onTestFinished(remove)
    for (let round = 0; round < cases(1, 25); round++) {
      const windows = await Promise.all(Array.from({ length: AT_ONCE }, () => openWindow(home)))
      for (const [index, window] of windows.entries()) closeWindow(window, index % 2 === 0 ? 'close' : 'kill')
      const pids = windows.map(({ pid }) => pid)
      expect(await listLeft(pids, 2_000)).toEqual([])
    }
    expect((await runAssay(['init'], { home })).code).toBe(0)
  },
  maxMs(60_000),
)
