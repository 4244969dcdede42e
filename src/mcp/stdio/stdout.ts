import { Console } from 'node:console'
import { Writable } from 'node:stream'

/**
 * Reserves stdout for the protocol: all other writes to it, through `console` or directly, go to stderr from now on.
 * Returns the only stream that still writes to stdout. Call it before importing any module that might print.
 */
export function reserveStdout(host: NodeJS.Process = process): Writable {
  const { stdout, stderr } = host
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write
  globalThis.console = new Console({ stdout: stderr, stderr })
  const claimed = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => void write(chunk, done),
  })
  stdout.on('error', (error) => claimed.destroy(error))
  claimed.on('error', () => {})
  return claimed
}
