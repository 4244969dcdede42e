import { accessBreaks } from './access.ts'
import type { Break } from './break.ts'
import { dataBreaks } from './data.ts'
import { leakBreaks } from './leaks.ts'
import { numberBreaks } from './numbers.ts'

/** Every rule that is broken on purpose. */
export const breaks: readonly Break[] = [...leakBreaks, ...accessBreaks, ...numberBreaks, ...dataBreaks]
