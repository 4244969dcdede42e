import { accessBreaks } from './access.ts'
import type { Break } from './break.ts'
import { contentBreaks } from './content.ts'
import { definitionBreaks } from './definitions.ts'
import { doorBreaks } from './doors.ts'
import { issuerBreaks } from './issuer.ts'
import { keyBreaks } from './keys.ts'
import { outgoingBreaks } from './outgoing.ts'
import { scanBreaks } from './scans.ts'
import { storeBreaks } from './store.ts'

/** Every safety rule that is broken on purpose. */
export const breaks: readonly Break[] = [
  ...storeBreaks,
  ...keyBreaks,
  ...accessBreaks,
  ...issuerBreaks,
  ...doorBreaks,
  ...outgoingBreaks,
  ...contentBreaks,
  ...scanBreaks,
  ...definitionBreaks,
]

export const editsOf = ({ file, find, put, also = [] }: Break) => [{ file, find, put }, ...also]
