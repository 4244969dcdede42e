/** A fault that a data folder must survive, what must hold then, and the tests that show it, by file and title. */
export interface Fault {
  fault: string
  holds: string
  tests: readonly (readonly [file: string, title: string])[]
}

export const faults: readonly Fault[] = [
  {
    fault: 'the database is removed under a process',
    holds: 'nothing is acknowledged or answered, /ready is 503, a backup is named',
    tests: [
      ['tests/store/file-guard.test.ts', 'removed'],
      ['tests/store/file-guard.test.ts', 'does not acknowledge writes while its file is removed'],
      ['tests/e2e/lost-database.test.ts', 'is removed'],
    ],
  },
  {
    fault: 'the write-ahead log or its index is removed under a process',
    holds: 'as above; what was acknowledged is there after the last process has ended',
    tests: [
      ['tests/store/file-guard.test.ts', 'parted from its log'],
      [
        'tests/store/file-guard.test.ts',
        'keeps acknowledged writes when only its log is removed, once the last process ends',
      ],
      ['tests/e2e/lost-database.test.ts', 'loses its log'],
    ],
  },
  {
    fault: 'the database is replaced under a process',
    holds: 'as above; neither file is written to',
    tests: [
      ['tests/store/file-guard.test.ts', 'replaced by another'],
      ['tests/e2e/lost-database.test.ts', 'is replaced by a backup'],
    ],
  },
  {
    fault: 'a database is restored that is not only ours',
    holds: 'it is refused before anything in it runs; the doctor finds the same in a live one',
    tests: [
      ['tests/store/foreign-schema.test.ts', 'is refused by a restore and found by the doctor: %s'],
      ['tests/doctor/illnesses.ts', 'a trigger of somebody else'],
    ],
  },
  {
    fault: 'the database is cut',
    holds: 'it is refused and left as it is, at rest and under a process, and a backup is named',
    tests: [
      ['tests/store/damage.test.ts', 'cut to half'],
      ['tests/store/file-guard.test.ts', 'cut to half'],
    ],
  },
  {
    fault: 'the disk is full',
    holds: 'writes are refused, reads go on, and everything goes on once there is room',
    tests: [
      ['tests/store/damage.test.ts', 'a full disk'],
      [
        'tests/store/full.test.ts',
        'by its small size is reported; reads continue, and writes resume once there is space',
      ],
      [
        'tests/scans/full-disk.test.ts',
        'a scan that fails on a full disk at any write resumes when there is space and ends with the same result',
      ],
    ],
  },
  {
    fault: 'the folder cannot be written to',
    holds: 'one sentence says so, and nothing changes',
    tests: [['tests/faults/faults.test.ts', 'a folder that cannot be written to is reported and not changed']],
  },
  {
    fault: 'the clock goes back or forth by a day: leases',
    holds: 'the lease of the loop and the scans stay with who has them',
    tests: [
      ['tests/background/loop.test.ts', 'does not change hands where clocks differ by %d ms'],
      [
        'tests/scans/silence.test.ts',
        'a process whose clock differs by %d ms keeps its scan while its heartbeat continues',
      ],
    ],
  },
  {
    fault: 'the clock goes back or forth by a day: schedules',
    holds: 'no run comes twice, at most one late, and the schedule goes on',
    tests: [['tests/scans/clocks.test.ts', '%s starts no run twice, at most one late, and the schedule continues']],
  },
  {
    fault: 'the clock goes back or forth by a day: tokens',
    holds: 'a token holds to its last moment and not beyond; a revoked one stays revoked',
    tests: [
      ['tests/access/tokens.test.ts', 'expires by the current clock, and stays revoked when the clock is set back'],
    ],
  },
  {
    fault: 'the clock goes back: answers',
    holds: 'a warning says so, and no duration is negative',
    tests: [
      ['tests/query/clock.test.ts', 'that was set back gives a warning in every answer'],
      ['tests/query/clock.test.ts', 'that was set back makes no duration negative'],
    ],
  },
  {
    fault: 'a process is killed in a scan',
    holds: 'the scan goes on, and ends as if undisturbed',
    tests: [
      ['tests/scans/kill.test.ts', 'a scan that is killed repeatedly ends like an undisturbed one'],
      [
        'tests/long/killed-scan.test.ts',
        'a scan of 2,000 pages that is killed 50 times stores what an undisturbed one does',
      ],
    ],
  },
  {
    fault: 'a process is killed in apply',
    holds: 'all of the folder is in the database, or nothing',
    tests: [['tests/faults/faults.test.ts', 'apply changes all or nothing when it is killed at any moment']],
  },
  {
    fault: 'a process is killed in a migration',
    holds: 'the old schema or the new one is there, whole',
    tests: [['tests/store/migration.test.ts', 'or is killed leaves the old or the new one, never a mix of both']],
  },
  {
    fault: 'a process is killed during a key rotation',
    holds: 'the data folder holds the key that the database needs',
    tests: [
      ['tests/audit/tamper.test.ts', 'a killed rotation leaves a key that decrypts everything, and can be completed'],
    ],
  },
  {
    fault: 'a process is killed in a backup or a restore',
    holds: 'the backup has no name yet or is whole; the old database is in place or the new one, whole',
    tests: [
      ['tests/store/backup.test.ts', 'that is killed leaves no file under its name and does not change the database'],
      ['tests/store/backup.test.ts', 'that is killed leaves the old or the new database in place, complete'],
    ],
  },
]
