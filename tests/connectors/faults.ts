import { contentFaults } from './content-faults.ts'
import type { SurvivedFault } from './fault-proofs.ts'
import { trafficFaults } from './traffic-faults.ts'

/** What real tenants do to a connector, by number, and what must come of it. */
export const faults: Record<number, SurvivedFault> = { ...trafficFaults, ...contentFaults }
