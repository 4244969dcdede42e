/** Schedules, listings, upstream faults, and where credentials and requests go. */
export const rows: Record<string, readonly { file: string; test: string }[]> = {
  R18: [
    {
      file: 'tests/sources/schedule.test.ts',
      test: 'come once where the clocks of %s change: after a gap at its end, in a doubled hour at its first pass',
    },
    { file: 'tests/sources/schedule.test.ts', test: 'come every day of two years' },
    { file: 'tests/long/schedules.test.ts', test: 'every pattern runs as it should in every zone for two years' },
  ],
  R19: [
    { file: 'tests/sources/schedule.test.ts', test: 'is refused when it is written: %s' },
    { file: 'tests/sources/sources.test.ts', test: 'refuses %s, naming the place' },
  ],
  R20: [
    {
      file: 'tests/scans/clocks.test.ts',
      test: '%s starts no run twice, at most one late, and the schedule goes on',
    },
    { file: 'tests/scans/clocks.test.ts', test: 'a year ahead and back again goes on at once' },
    { file: 'tests/scans/clocks.test.ts', test: 'that stands still starts nothing, and misses nothing' },
    {
      file: 'tests/scans/clocks.test.ts',
      test: 'that differs by five minutes between processes starts no run twice',
    },
  ],
  R21: [{ file: 'tests/scans/clocks.test.ts', test: 'are made up once after %s, and never again' }],
  R22: [
    {
      file: 'tests/scans/overlap.test.ts',
      test: 'fifty triggers through every door start one scan, and the others name it',
    },
  ],
  R23: [
    {
      file: 'tests/scans/claims.test.ts',
      test: 'no run of a schedule is lost or comes twice while workers are killed that all want it',
    },
    {
      file: 'tests/long/claims.test.ts',
      test: 'none of 600 runs of schedules is lost or comes twice while four workers are killed every 300 ms',
    },
  ],
  R25: [
    {
      file: 'tests/scans/platform.test.ts',
      test: 'a listing that is not whole resolves nothing, however often it comes',
    },
    { file: 'tests/scans/platform.test.ts', test: 'an abort at any page' },
    {
      file: 'tests/scans/platform.test.ts',
      test: 'a loss of six in ten, and an empty success, until a second whole listing agrees',
    },
  ],
  R26: [
    { file: 'tests/connectors/bytes.test.ts', test: 'cost few calls: %s' },
    { file: 'tests/connectors/bytes.test.ts', test: '(%s) is asked for again, and after max_retries no more' },
    { file: 'tests/connectors/clock.test.ts', test: 'is kept to within 5 %%: %s' },
    { file: 'tests/connectors/clock.test.ts', test: 'ends the scan where it is %s seconds, after one call' },
    { file: 'tests/connectors/wiki/faults.test.ts', test: 'a cursor that comes again ends the scope, unfinished' },
    { file: 'tests/connectors/wiki/faults.test.ts', test: 'a stored cursor that is refused starts the space over' },
    { file: 'tests/connectors/transport-bodies.test.ts', test: 'a second refusal (%i) after a refresh stops' },
  ],
  R27: [
    {
      file: 'tests/connectors/clock.test.ts',
      test: 'ten calls after one 429 never start within 50 ms of each other',
    },
  ],
  R28: [{ file: 'tests/connectors/clock.test.ts', test: 'an origin that keeps failing' }],
  R29: [{ file: 'tests/connectors/clock.test.ts', test: 'the settings of a connection' }],
  T3: [
    {
      file: 'tests/sources/repoint.test.ts',
      test: 'is refused, however it is written, and nothing is sent',
    },
    { file: 'tests/sources/repoint.test.ts', test: 'stays where only its spelling changes' },
    {
      file: 'tests/scans/canary.test.ts',
      test: 'no address outside the tenant is ever sent a credential (address%s)',
    },
  ],
  T11: [
    { file: 'tests/connectors/links/guard.test.ts', test: '%s is not public' },
    { file: 'tests/connectors/links/guard.test.ts', test: '%s is not admitted' },
    { file: 'tests/connectors/links/guard.test.ts', test: 'a name with the answer: %s' },
    {
      file: 'tests/connectors/links/guard.test.ts',
      test: 'a name is looked up once, so that a second answer cannot differ',
    },
    { file: 'tests/connectors/links/guard.test.ts', test: 'a redirect from a listed host does not lead there (%#)' },
  ],
  T12: [
    {
      file: 'tests/connectors/links/hosts.test.ts',
      test: 'other hosts are asked two at a time, a quarter of a second apart',
    },
    { file: 'tests/connectors/links/hosts.test.ts', test: 'ends at a thousand requests, listed hosts not counted' },
    { file: 'tests/connectors/links/checker.test.ts', test: 'asks a listed host four at a time' },
  ],
}
