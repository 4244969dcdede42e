/** A time in milliseconds as an ISO 8601 timestamp in UTC. */
export const toInstant = (ms: number): string => new Date(ms).toISOString()
