import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'

/** Writes a file so that it is there whole or as it was. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    writeFileSync(draft, text)
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
