/** A fault that a data folder must survive, what must hold then, and the tests that show it, by file and title. */
export interface Fault {
  fault: string
  holds: string
  tests: Readonly<Record<string, readonly string[]>>
}

export const faults: readonly Fault[] = [
  {
    fault: 'the database is removed under a process',
    holds: 'nothing is acknowledged or answered, /ready is 503, a backup is named',
    tests: {
      'store/file-guard.test.ts': ['removed', 'does not acknowledge writes while its file is removed'],
      'e2e/lost-database.test.ts': ['is removed'],
    },
  },
  {
    fault: 'the write-ahead log or its index is removed under a process',
    holds: 'as above; acknowledged writes are in the database after the last process has ended',
    tests: {
      'store/file-guard.test.ts': [
        'separated from its log',
        'keeps acknowledged writes when only its log is removed, once the last process ends',
      ],
      'e2e/lost-database.test.ts': ['loses its log'],
    },
  },
  {
    fault: 'another process begins while one has other files of the database open',
    holds: 'it is refused, and no acknowledged write is missing once both have ended or were killed',
    tests: {
      'store/file-guard.test.ts': [
        'that was %s is refused to processes that begin, which change nothing',
        'that was replaced is refused to processes that begin, also once its own was killed and has left its log',
        'leaves a log to which another program has written without being seen',
      ],
      'e2e/lost-log.test.ts': [
        'survive the removal of the index of the log under a server, whichever process is killed',
      ],
    },
  },
  {
    fault: 'the database is replaced under a process',
    holds: 'as above; neither file is written to',
    tests: {
      'store/file-guard.test.ts': ['replaced by another'],
      'e2e/lost-database.test.ts': ['is replaced by a backup'],
    },
  },
  {
    fault: 'a database with foreign objects is restored',
    holds: 'it is refused before any of it is executed; the doctor reports the same of the database in use',
    tests: {
      'store/foreign-schema.test.ts': ['is refused by a restore and reported by the doctor: %s'],
      'doctor/illnesses.ts': ['a trigger of somebody else'],
    },
  },
  {
    fault: 'the database is truncated',
    holds: 'it is refused and not changed, on opening and while in use, and a backup is named',
    tests: {
      'store/damage.test.ts': ['truncated to half'],
      'store/file-guard.test.ts': ['truncated to half'],
    },
  },
  {
    fault: 'the disk is full',
    holds: 'writes are refused, reads continue, and writes resume once there is space',
    tests: {
      'store/damage.test.ts': ['a full disk'],
      'store/full.test.ts': ['by its small size is reported; reads continue, and writes resume once there is space'],
      'scans/full-disk.test.ts': [
        'a scan that fails on a full disk at any write resumes when there is space and ends with the same result',
      ],
    },
  },
  {
    fault: 'the folder cannot be written to',
    holds: 'one sentence reports it, and nothing changes',
    tests: {
      'faults/faults.test.ts': ['a folder that cannot be written to is reported and not changed'],
    },
  },
  {
    fault: 'the clock jumps a day ahead or back: leases',
    holds: 'the leases of the loop and of scans remain with their holders',
    tests: {
      'background/loop.test.ts': ['does not change hands where clocks differ by %d ms'],
      'scans/silence.test.ts': ['a process whose clock differs by %d ms keeps its scan while its heartbeat continues'],
    },
  },
  {
    fault: 'the clock jumps a day ahead or back: schedules',
    holds: 'no run is repeated, at most one is late, and the schedule continues',
    tests: {
      'scans/clocks.test.ts': ['that jumps %s repeats no run, delays at most one, and the schedule continues'],
    },
  },
  {
    fault: 'the clock jumps a day ahead or back: tokens',
    holds: 'a token is valid until it expires and no longer; a revoked one remains revoked',
    tests: {
      'access/tokens.test.ts': ['expires by the current clock, and stays revoked when the clock is set back'],
    },
  },
  {
    fault: 'the clock jumps a day ahead or back: due dates',
    holds: 'no due date changes; what is overdue follows the clock, and is the same again once the clock is',
    tests: {
      'findings/due-dates.test.ts': [
        'depend only on the first detection and the clock of the answer when it jumps %s by a day',
      ],
    },
  },
  {
    fault: 'the clock jumps back: answers',
    holds: 'a warning reports it, and no duration is negative',
    tests: {
      'query/clock.test.ts': [
        'that was set back gives a warning in every answer',
        'that was set back makes no duration negative',
      ],
    },
  },
  {
    fault: 'a process is killed during a scan',
    holds: 'the scan is resumed and has the same result as an undisturbed one',
    tests: {
      'scans/killed-scan.test.ts': ['a scan that is killed repeatedly has the same result as an undisturbed one'],
    },
  },
  {
    fault: 'a process is killed during apply',
    holds: 'all of the folder is in the database, or nothing',
    tests: {
      'faults/faults.test.ts': ['apply changes all or nothing when it is killed at any moment'],
    },
  },
  {
    fault: 'a process is killed during a migration',
    holds: 'the database has the old schema or the new one, complete',
    tests: {
      'store/migration.test.ts': ['or is killed leaves the old or the new schema, never a mix of both'],
    },
  },
  {
    fault: 'a process is killed during a key rotation',
    holds: 'the data folder contains the key that the database needs',
    tests: {
      'audit/tamper.test.ts': ['a killed rotation leaves a key that decrypts everything, and can be completed'],
    },
  },
  {
    fault: 'a process is killed during a move to another folder',
    holds:
      'the former database is unchanged until the copy is complete and verified; the same command completes the move',
    tests: {
      'store/move.test.ts': [
        'is completed by the same command, with every row once',
        'is completed when only its last step is missing, and recorded',
      ],
    },
  },
  {
    fault: 'a move to another folder is interrupted, cancelled by another process, or its copy is removed',
    holds:
      'at no moment can both databases be written to; the move can be continued or undone, and the message says how',
    tests: {
      'store/move.test.ts': [
        'refuses writes until it is continued or cancelled, and loses nothing',
        'can be continued wherever it was interrupted, and copies no row twice',
        'that another process cancels, or whose copy is removed, does not end as a move',
      ],
      'e2e/move.test.ts': [
        'assay move can be interrupted with Ctrl-C and continued, and leaves a folder that refuses every change',
      ],
    },
  },
  {
    fault: 'a disk is full during a move to another folder',
    holds: 'the space needed is checked and stated before; the move continues once there is space',
    tests: {
      'store/move.test.ts': [
        'says beforehand how much space it needs',
        'a disk that becomes full is reported with its folder, and the move continues once there is space',
        'a full disk of the former database does not prevent it',
      ],
    },
  },
  {
    fault:
      'the target of a move cannot be written to, or is another file: a link, a pipe, a database of another schema',
    holds: 'it is refused before anything changes',
    tests: {
      'store/move.test.ts': [
        'is refused for a folder that cannot be written to',
        'is refused for an unusable target, and changes nothing',
      ],
    },
  },
  {
    fault: 'the clock jumps a day ahead or back: a move to another folder',
    holds: 'every row is in the new database, and no other process takes over',
    tests: {
      'store/move.test.ts': ['a clock that jumps a day %s changes nothing, and no other process takes over'],
    },
  },
  {
    fault: 'a process is killed during a backup or a restore',
    holds: 'there is no backup or a complete one; the old or the new database is in place, complete',
    tests: {
      'store/backup.test.ts': [
        'that is killed leaves no file under its name and does not change the database',
        'that is killed leaves the old or the new database in place, complete',
      ],
    },
  },
]
