import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createTurns } from '../../src/background/turns.ts'

function openTurns() {
  const takeTurn = createTurns(() => nextTurn())
  const ended: string[] = []
  const run = (kind: string, ms: number, name = kind) =>
    takeTurn(kind, async () => {
      await sleep(ms)
      ended.push(name)
    })
  return { takeTurn, run, ended }
}

test('what was short overtakes what was long and waits, one at a time', async () => {
  const { run, ended } = openTurns()
  await run('long', 150)
  await run('short', 0)
  ended.length = 0
  await Promise.all([run('long', 150, 'first'), run('long', 150, 'second'), run('short', 0, 'late'), run('new', 0)])
  expect(new Set(ended.slice(0, 2))).toEqual(new Set(['late', 'new']))
  expect(ended.slice(2)).toEqual(['first', 'second'])
})

test('what has waited for many times its duration is not overtaken any more', async () => {
  const { run, ended } = openTurns()
  await run('long', 30)
  const running = run('other', 2_500)
  await sleep(10)
  const long = run('long', 30)
  await sleep(2_000)
  await Promise.all([running, long, run('short', 0)])
  expect(ended).toEqual(['long', 'other', 'long', 'short'])
})

test('work that fails rejects alone, and counts as no shorter than before', async () => {
  const { takeTurn, run, ended } = openTurns()
  await run('long', 150)
  const fail = () => Promise.reject(new RangeError('no'))
  await expect(takeTurn('long', fail)).rejects.toThrow('no')
  await Promise.all([run('long', 1), run('short', 0)])
  expect(ended).toEqual(['long', 'short', 'long'])
})
