import { createTenant, type FakeTenant } from './fake-tenant.ts'

/** What each due run scans: pages with one finding each, in listings of two pages. */
export const createClaimTenant = (): FakeTenant => createTenant({ ENG: 4, OPS: 3 }, 2)
export const PAGES = 7

/** The clock of all workers runs faster, so that what a dead one left behind is taken up soon. */
const PACE = 5
export const paceOf = (epoch: number) => () => epoch + (Date.now() - epoch) * PACE
