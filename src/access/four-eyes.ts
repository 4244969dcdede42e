import type { FourEyes } from '../operation/context.ts'
import type { Reader } from '../store/store.ts'
import { hasTokens } from './tokens.store.ts'

/** Whether two principals have to take part in a decision; by default where there are tokens. */
export const needsTwo = (reader: Reader, fourEyes: FourEyes = 'withTokens'): boolean =>
  fourEyes === 'always' || (fourEyes === 'withTokens' && hasTokens(reader))
