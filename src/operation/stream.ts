import { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import type { WriteContext } from './context.ts'
import { locateName } from './input/repair.ts'
import { isLockedDown, withholdSuggestions } from './lockdown/lockdown.ts'
import { admit, createPresenter, type Operation } from './operation.ts'
import { toSafeError } from './repeated.ts'

/** How the items of a streamed answer are read: `input` is the parsed input of its operation. */
export type ReadBatches<Item> = (input: never, context: WriteContext) => AsyncGenerator<Item[]>

/**
 * The answer to an operation, item by item instead of as a whole: with the same checks of scope and input, and the same
 * masking and lockdown. Ending it early releases what it holds.
 * @throws AppError as `call` does; errors of the input come with the first batch.
 */
export async function* streamItems<Item extends z.ZodType>(
  operation: Operation,
  item: Item,
  read: ReadBatches<z.output<Item>>,
  raw: unknown,
  context: WriteContext,
): AsyncGenerator<z.output<Item>[]> {
  try {
    const { input } = await admit(operation, raw, context)
    const batch = z.array(item)
    const present = await createPresenter(batch, { repeats: [raw, input] }, context)
    const reading = placeErrors(operation.name, input, read(input as never, context))
    for await (const items of reading) yield present(batch.parse(items)) as z.output<Item>[]
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const safe = toSafeError(error, raw)
    throw isLockedDown(context) ? withholdSuggestions(safe) : safe
  }
}

/** Adds to errors where in the input they come from. */
async function* placeErrors<Batch>(name: string, input: object, reading: AsyncGenerator<Batch>): AsyncGenerator<Batch> {
  try {
    yield* reading
  } catch (error) {
    throw error instanceof AppError ? locateName(name, { ...input }, error) : error
  }
}
