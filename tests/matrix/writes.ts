/** What becomes of writes and scans when processes die, disks fill and readers stay. */
export const rows: Record<string, readonly ({ file: string; test: string } | { bench: string })[]> = {
  R1: [
    {
      file: 'tests/store/power.test.ts',
      test: 'nothing that was told as kept is lost, and nothing is there in part, however a writer is killed',
    },
    {
      file: 'tests/long/killed-writer.test.ts',
      test: 'nothing that was told as kept is lost in 1,000 kills of a writer',
    },
    { bench: 'reopen' },
  ],
  R2: [
    { file: 'tests/store/power.test.ts', test: 'gives the commits up to the tear when it is cut anywhere' },
    {
      file: 'tests/store/power.test.ts',
      test: 'gives the commits up to the damage when bits are turned or ranges are empty',
    },
  ],
  R3: [
    { file: 'tests/store/power.test.ts', test: 'is written with FULL synchronisation, and scans are not' },
    { file: 'tests/store/power.test.ts', test: 'reaches the disk before the answer does: %s' },
  ],
  R4: [
    {
      file: 'tests/store/power.test.ts',
      test: 'is told with its own reason; reads go on, and so do writes once there is room',
    },
    { file: 'tests/store/full.test.ts', test: 'a disk that takes no more' },
  ],
  R5: [
    {
      file: 'tests/scans/full-disk.test.ts',
      test: 'a scan that finds the disk full at any page of the file goes on when there is room, and ends as if there had been',
    },
    {
      file: 'tests/scans/limited.test.ts',
      test: 'a scan whose writes fail at every step of its files goes on with each one, and ends as if they had not',
    },
  ],
  R16: [
    {
      file: 'tests/store/power.test.ts',
      test: 'stays below 64 MB, and batches wait for a reader that keeps it from being emptied',
    },
    { file: 'tests/store/power.test.ts', test: 'is not held by a walk that was given up' },
    {
      file: 'tests/long/many.test.ts',
      test: 'nine processes keep the write-ahead log below 64 MB while findings come and go',
    },
  ],
  R24: [
    {
      file: 'tests/scans/killed-scan.test.ts',
      test: 'a scan of a wiki that is killed again and again stores what an undisturbed one does',
    },
    {
      file: 'tests/long/killed-scan.test.ts',
      test: 'a scan of 2,000 pages that is killed 50 times stores what an undisturbed one does',
    },
  ],
  R30: [
    {
      file: 'tests/long/memory.test.ts',
      test: 'a scan of %i pages with %i attachments and %i links takes no more than 400 MB',
    },
  ],
  R32: [
    { file: 'tests/scans/scan.test.ts', test: 'writes nothing more once another driver has taken it over' },
    {
      file: 'tests/long/stuck.test.ts',
      test: 'a scan whose process is stopped is taken over, and the late one is shut out',
    },
  ],
  R33: [
    {
      file: 'tests/e2e/shutdown.test.ts',
      test: 'a server that is asked to stop at any moment ends in order, and the next one goes on',
    },
    {
      file: 'tests/long/shutdown.test.ts',
      test: 'a server that is asked to stop at 100 random moments ends in order each time',
    },
  ],
}
