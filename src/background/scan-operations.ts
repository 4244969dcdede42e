import { findingOperations } from '../findings/operations.ts'
import { suppressionOperations } from '../findings/suppressions/operations.ts'

/** The operations of the scan thread, from the modules that it loads. */
export const scanThreadOperations = [...findingOperations, ...suppressionOperations].filter(
  ({ runsOn }) => runsOn === 'scan-thread',
)
