/** How nothing is lost, and how what is kept is kept. */
export const rows: Record<string, readonly ({ file: string; test: string } | { bench: string })[]> = {
  R6: [
    { file: 'tests/store/damage.test.ts', test: 'a damaged file' },
    { file: 'tests/store/damage.test.ts', test: 'a full disk' },
    { file: 'tests/store/damage.test.ts', test: 'the place of the data folder' },
  ],
  R7: [
    {
      file: 'tests/store/rot.test.ts',
      test: 'in a definition or the audit trail is found by the deep look',
    },
  ],
  R8: [
    { file: 'tests/store/backup.test.ts', test: 'is whole and of one moment while eight processes write' },
    { file: 'tests/store/backup.test.ts', test: 'that was killed has no name, and the database is as before' },
    { file: 'tests/store/backup.test.ts', test: 'that was killed leaves the one or the other in place, whole' },
    { bench: 'backup' },
  ],
  R9: [{ file: 'tests/store/migration.test.ts', test: 'a database of every released schema' }, { bench: 'migration' }],
  R10: [
    {
      file: 'tests/store/migration.test.ts',
      test: 'leaves the old schema whole at every statement, and the next try succeeds',
    },
    {
      file: 'tests/store/migration.test.ts',
      test: 'or is killed leaves the old or the new one, never something between',
    },
  ],
  R11: [
    { file: 'tests/store/store.test.ts', test: 'serves twenty processes that start at once on an empty folder' },
    { file: 'tests/store/migration.test.ts', test: 'on an old database migrate it once, and all of them serve' },
    { bench: 'many' },
  ],
  R12: [{ file: 'tests/store/store.test.ts', test: 'refuses a database of a newer version and leaves it as it was' }],
  R13: [
    { file: 'tests/e2e/many.test.ts', test: 'get on without a busy error, and one of them drives' },
    {
      file: 'tests/long/many.test.ts',
      test: 'nine processes keep the write-ahead log below 64 MB while findings come and go',
    },
    { bench: 'many' },
  ],
  R14: [
    { file: 'tests/e2e/many.test.ts', test: 'always have one driver, and another one soon after it was killed' },
    {
      file: 'tests/e2e/many.test.ts',
      test: 'have another driver when the one there stands still, and only one when it goes on',
    },
    { bench: 'many' },
  ],
  T1: [{ file: 'tests/e2e/credentials.test.ts', test: 'are in no file of the data folder, nor the write-ahead log' }],
  T2: [{ file: 'tests/audit/tamper.test.ts', test: 'is never opened: %s' }],
  T23: [
    { file: 'tests/definitions/files.test.ts', test: 'is refused with its place: %s' },
    { file: 'tests/e2e/import.test.ts', test: 'refuses %s at both doors, and keeps nothing of it' },
    {
      file: 'tests/e2e/import.test.ts',
      test: 'takes nothing from a member %s of a SARIF log, wherever it stands, at both doors',
    },
  ],
  T24: [{ file: 'tests/matrix/supply.test.ts', test: 'what the package brings with it' }],
}
