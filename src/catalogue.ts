import { sessionOperations } from './access/session-operation.ts'
import { tokenOperations } from './access/token-operations.ts'
import { customOperations } from './custom-detectors/operations.ts'
import { dashboardOperations } from './dashboards/operations.ts'
import { dimensionOperations } from './findings/dimension-operations.ts'
import { findingOperations } from './findings/operations.ts'
import { suppressionOperations } from './findings/suppressions/operations.ts'
import { glossaryOperations } from './glossary/operations.ts'
import { slaOperations } from './metrics/sla-operations.ts'
import type { Operation } from './operation/operation.ts'
import { createProposalOperations } from './proposals/operations.ts'
import { impactOperations } from './query/impact-operations.ts'
import { metricOperations } from './query/metric-operations.ts'
import { queryOperations } from './query/operations.ts'
import { scanOperations } from './scans/operations.ts'
import { sourceOperations } from './sources/operations.ts'
import { watchOperations } from './watches/operations.ts'

/** The operations on offer: all of them, or only those that change nothing. */
export const listOfferedOperations = (readOnly: boolean): readonly Operation[] =>
  readOnly ? operations.filter(({ effect }) => effect === 'read') : operations

const ownOperations: readonly Operation[] = [
  ...glossaryOperations,
  ...metricOperations,
  ...impactOperations,
  ...slaOperations,
  ...queryOperations,
  ...dimensionOperations,
  ...dashboardOperations,
  ...watchOperations,
  ...sourceOperations,
  ...customOperations,
  ...scanOperations,
  ...findingOperations,
  ...suppressionOperations,
  ...sessionOperations,
  ...tokenOperations,
]

/** All operations; HTTP, MCP and the command line are loops over this list. */
export const operations: readonly Operation[] = Object.freeze([
  ...ownOperations,
  ...createProposalOperations(ownOperations),
])
