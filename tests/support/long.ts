/** Whether the tests run in their full counts, as `npm run test:long` runs them; `npm test` runs a share of each. */
export const isLong = process.env.ASSAY_LONG === '1'
