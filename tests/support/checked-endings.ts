import { afterAll, afterEach, expect } from 'vitest'
import { takeFaults, untilEnded } from './endings.ts'

// A process or thread that crashes fails the test that started it, or the file, if it ends later.

const check = () => expect(takeFaults(), 'Processes and threads that a test starts end as it asks them to.').toEqual([])
afterEach(check)
afterAll(async () => {
  await untilEnded()
  check()
})
