import { AppError } from '../kernel/errors.ts'
import type { Caller } from '../operation/context.ts'
import { isLockedDown, withholdFile } from '../operation/lockdown/lockdown.ts'
import type { ImportResult } from './imports.ts'

/** The result of an import as a caller may see it: in lockdown without what is in the file, also in errors. */
export async function importForCaller(
  take: () => Promise<ImportResult>,
  context: { lockdown?: boolean; caller: Caller },
): Promise<ImportResult> {
  if (!isLockedDown(context)) return take()
  try {
    const { preview: _, ...result } = await take()
    return result
  } catch (error) {
    throw error instanceof AppError ? withholdFile(error) : error
  }
}
