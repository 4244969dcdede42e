import { afterAll, expect, test } from 'vitest'
import { makeHome, serveAssay } from '../support/assay.ts'

const { home, remove } = makeHome()
afterAll(remove)

const CANARY = 'sk_live_5Hq2canary7Zt4Wm9Kp'

/** Serves, and does something else in the same process once it serves, where nobody waits for it. */
async function serveAndDo(
  something: string,
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; output: string }> {
  const script = encodeURIComponent(`process.once('SIGUSR2', () => setTimeout(() => { ${something} }, 10))`)
  const NODE_OPTIONS = `--import "data:text/javascript,${script}"`
  const { child } = await serveAssay(home, ['--no-background'], { ...env, NODE_OPTIONS })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const late = setTimeout(() => child.kill('SIGKILL'), 40_000)
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  child.kill('SIGUSR2')
  const code = await closed
  clearTimeout(late)
  return { code, output }
}

test.each([
  ['a rejection', `Promise.reject(new Error('lost ${CANARY}'))`],
  ['an exception', `throw new Error('lost ${CANARY}')`],
])(
  'an unhandled %s ends the server and logs no credential',
  async (_what, fault) => {
    const { code, output } = await serveAndDo(fault)
    expect(code).toBe(1)
    expect(output).toContain('lost ********')
    expect(output).not.toContain(CANARY)
    expect(output).not.toContain('node:internal')
  },
  60_000,
)

test('the key is removed from the environment when the program starts', async () => {
  const ASSAY_KEY = Buffer.alloc(32, 7).toString('base64')
  const look = "process.stderr.write('seen:' + process.env.ASSAY_KEY, () => process.exit(0))"
  expect((await serveAndDo(look, { ASSAY_KEY })).output).toContain('seen:undefined')
}, 60_000)
