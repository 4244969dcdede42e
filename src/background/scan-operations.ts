import { customOperations } from '../custom-detectors/operations.ts'
import { findingOperations } from '../findings/operations.ts'
import { suppressionOperations } from '../findings/suppressions/operations.ts'

/** The operations that run on the scan thread, collected from the few modules that it loads. */
export const scanThreadOperations = [...findingOperations, ...suppressionOperations, ...customOperations].filter(
  ({ runsOn }) => runsOn === 'scan-thread',
)
