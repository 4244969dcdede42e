import type { Reader } from '../store/store.ts'

/** Whether the settings of a source name a finding type that is off by default. */
export const isTypeAsked = (reader: Reader, type: string): boolean =>
  reader
    .prepare('SELECT count(*) FROM source WHERE deleted_at IS NULL AND config LIKE ?')
    .pluck()
    .get(`%"${type}"%`) !== 0
