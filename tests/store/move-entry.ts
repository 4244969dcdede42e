// Moves the database of a data folder in small batches, until it is done, killed, or refused.
import { moveDatabase } from '../../src/commands/move.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { open } from './moved-folders.ts'

const [home = '', to = '', batch = '5'] = process.argv.slice(2)

async function move(): Promise<void> {
  const folder = await open(home)
  process.stdout.write('started\n')
  try {
    const { signal } = new AbortController()
    await moveDatabase(folder, to, { signal, batchRows: Number(batch), questions: 20 })
    process.stdout.write('moved\n')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    process.stdout.write(`${error.facts.reason}: ${error.message}\n`)
  } finally {
    folder.close()
  }
}

void move()
