import { expect, it } from 'vitest'
import { closeWindow, listLeft, openWindow } from '../e2e/windows.ts'
import { makeHome, runAssay } from '../support/assay.ts'

const WINDOWS = 100
const AT_ONCE = 5

it('100 windows, half of them killed, leave no process after two seconds', async () => {
  const { home, remove } = makeHome()
  try {
    const left: number[] = []
    for (let opened = 0; opened < WINDOWS; opened += AT_ONCE) {
      const windows = await Promise.all(Array.from({ length: AT_ONCE }, () => openWindow(home)))
      for (const [index, window] of windows.entries())
        closeWindow(window, (opened + index) % 2 === 0 ? 'close' : 'kill')
      const pids = windows.map(({ pid }) => pid)
      left.push(...(await listLeft(pids, 2000)))
    }
    expect(left).toEqual([])
    expect((await runAssay(['init'], { home })).code).toBe(0)
  } finally {
    remove()
  }
})
