import { Console } from 'node:console'
import { Writable } from 'node:stream'

/**
 * Keeps stdout for the protocol: whatever else writes there, by `console` or directly, goes to stderr from now on.
 * Returns the only way left to write to stdout. Call it before anything is imported that might speak.
 */
export function claimStdout(host: NodeJS.Process = process): Writable {
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
