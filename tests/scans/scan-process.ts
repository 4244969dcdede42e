import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildEntry } from '../support/entry.ts'

const entry = new URL('./scan-process-entry.ts', import.meta.url)

export interface Ended {
  status: string
  warnings: number
}

/** A process of its own that has loaded what it needs and waits for the order to scan. */
export interface ScanProcess {
  /** Runs one scan, and kills the process with SIGKILL once that is due; undefined where it was killed. */
  scan(order: { home: string; now: number }, isDue: () => boolean): Promise<Ended | undefined>
  close(): Promise<void>
}

export async function startScanProcess(): Promise<ScanProcess> {
  const child: ChildProcess = spawn(process.execPath, [await buildEntry(entry)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error('the process has no pipes')
  stdin.on('error', () => {})
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]()
  let isRunning = true
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve())).finally(() => {
    isRunning = false
  })
  return {
    async scan(order, isDue) {
      await lines.next()
      let isOver = false
      const answer = (async () => {
        stdin.write(`${JSON.stringify(order)}\n`)
        const { value } = await lines.next()
        isOver = true
        return value === undefined ? undefined : (JSON.parse(value) as Ended)
      })()
      while (isRunning && !isOver && !isDue()) await sleep(2)
      if (!isOver) child.kill('SIGKILL')
      const ended = await answer
      stdin.end()
      await closed
      return ended
    },
    async close() {
      child.kill('SIGKILL')
      await closed
    },
  }
}
