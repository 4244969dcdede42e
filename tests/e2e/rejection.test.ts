import { afterAll, expect, test } from 'vitest'
import { makeHome, spawnAssay } from '../support/assay.ts'

const { home, remove } = makeHome()
afterAll(remove)

const CANARY = 'sk_live_5Hq2canary7Zt4Wm9Kp'

/** What goes wrong somewhere in the process after the start, where nobody waits for it. */
const faults = [
  ['a rejection', `Promise.reject(new Error('lost ${CANARY}'))`],
  ['an exception', `throw new Error('lost ${CANARY}')`],
] as const

test.each(faults)(
  '%s that nobody handles ends the server, and tells no credential',
  async (_what, fault) => {
    const child = spawnAssay(['serve', '--port', '0', '--no-background'], {
      home,
      env: { NODE_OPTIONS: `--import "data:text/javascript,setTimeout(()=>{${fault}},2000)"` },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    const late = setTimeout(() => child.kill('SIGKILL'), 40_000)
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    clearTimeout(late)
    expect(code).toBe(1)
    expect(output).toContain('lost ********')
    expect(output).not.toContain(CANARY)
    expect(output).not.toContain('node:internal')
  },
  60_000,
)

test('the key of the environment is in it no longer once the program has begun', async () => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const look = "setTimeout(()=>{process.stderr.write('seen:'+process.env.ASSAY_KEY);process.exit(0)},2000)"
  const child = spawnAssay(['serve', '--port', '0', '--no-background'], {
    home,
    env: { ASSAY_KEY: key, NODE_OPTIONS: `--import "data:text/javascript,${look}"` },
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await new Promise((resolve) => child.once('close', resolve))
  expect(output).toContain('seen:undefined')
}, 60_000)
