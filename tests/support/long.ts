/** Whether the tests run in their full counts, as `npm run test:long` runs them. */
export const isLong = process.env.ASSAY_LONG === '1'

/** How many cases are tried: a few in `npm test`, many in `npm run test:long`. */
export const cases = <Cases = number>(few: Cases, many: Cases): Cases => (isLong ? many : few)

/** How long these may take; the full counts take hours. */
export const maxMs = (few: number): number => cases(few, 10_800_000)
