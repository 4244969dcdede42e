import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, runAssay } from '../support/assay.ts'
import { closeWindow, listLeft, openWindow } from './windows.ts'

let home: string
let remove: () => void
beforeEach(() => {
  ;({ home, remove } = makeHome())
})
afterEach(() => remove())

describe('assistant windows', () => {
  it('leave no process running after two seconds, whether they are closed or killed', async () => {
    const windows = await Promise.all(Array.from({ length: 4 }, () => openWindow(home)))
    for (const [index, window] of windows.entries()) closeWindow(window, index % 2 === 0 ? 'close' : 'kill')
    const pids = windows.map(({ pid }) => pid)
    expect(await listLeft(pids, 2_000)).toEqual([])
    expect((await runAssay(['init'], { home })).code).toBe(0)
  }, 60_000)
})
