import { queryDashboardOperations } from '../dashboards/operations.ts'
import { findingOperations } from '../findings/operations.ts'
import { impactOperations } from '../query/impact-operations.ts'
import { queryOperations } from '../query/operations.ts'
import { getStats } from '../scans/stats-operation.ts'
import { watchOperations } from '../watches/operations.ts'

/** The operations that run on the query thread, collected from the few modules that it loads. */
export const queryThreadOperations = [
  ...queryOperations,
  ...impactOperations,
  ...queryDashboardOperations,
  ...findingOperations,
  ...watchOperations,
  getStats,
].filter(({ runsOn }) => runsOn === 'query-thread')
