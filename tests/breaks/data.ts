import type { Break } from './break.ts'
import { replaceAll, replaceCall, replaceCondition, replaceProperty } from './break.ts'

const storeTest = 'tests/store/store.test.ts'
const connection = 'src/store/connection.ts'
const migrate = 'src/store/migrate.ts'
const migrationTest = 'tests/store/migration.test.ts'
const backup = 'src/store/backup.ts'
const backupTest = 'tests/store/backup.test.ts'
const lease = 'src/scans/lease.ts'
const leaseTest = 'tests/scans/lease.test.ts'
const upgradeTest = 'tests/store/postgres-upgrade.test.ts'

/** Rules whose loss would lose, mix up or overwrite data. */
export const dataBreaks: readonly Break[] = [
  {
    id: 'failed-write-kept',
    rule: 'A write that fails leaves nothing behind.',
    edits: [replaceCall([connection, 'Connection.transaction'], 'exec ROLLBACK', "$0.exec('COMMIT')")],
    test: { file: storeTest, title: 'rolls back a write that fails' },
  },
  {
    id: 'acknowledged-not-synced',
    rule: 'An acknowledged write is synchronised with the disk before the answer.',
    edits: [replaceCall([connection, 'Connection.transaction'], 'pragma FULL', 'undefined')],
    test: { file: 'tests/store/power.test.ts', title: 'an acknowledged change' },
  },
  {
    id: 'question-can-write',
    rule: 'Questions run on a connection that cannot write.',
    edits: [
      replaceProperty([connection, 'openConnection'], 'readonly', 'false'),
      replaceCall([connection, 'openConnection'], 'pragma query_only', 'undefined'),
    ],
    test: { file: storeTest, title: 'gives reads a connection that cannot write' },
  },
  {
    id: 'migration-half-kept',
    rule: 'A migration that fails leaves the old schema unchanged.',
    edits: [replaceCall([migrate, 'migrate'], 'exec ROLLBACK', "$0.exec('COMMIT')")],
    test: { file: migrationTest, title: 'leaves the old schema unchanged' },
  },
  {
    id: 'backup-torn',
    rule: 'A backup is of one moment while others write.',
    edits: [replaceCall([backup, 'backUp'], 'run draft', 'copyFileSync(database, draft)')],
    test: { file: backupTest, title: 'is a consistent snapshot' },
  },
  {
    id: 'restore-discards',
    rule: 'A restore keeps the database that it replaces.',
    edits: [replaceCall([backup, 'moveAside'], 'linkOrCopy', 'undefined')],
    test: { file: backupTest, title: 'keeps the newer database under another name' },
  },
  {
    id: 'late-writer-not-fenced',
    rule: 'A process that has lost its scan writes nothing more for it.',
    edits: [
      replaceCondition([lease, 'ScanLease.write'], 'state', 'true'),
      replaceCondition([lease, 'ScanLease.#beat'], 'state', 'false'),
    ],
    test: { file: leaseTest },
  },
  {
    id: 'lost-database-ends-scan',
    rule: 'A scan that loses the database resumes where it was.',
    edits: [replaceAll(['src/store/away.ts', 'isStoreAway'], 'false')],
    test: { file: 'tests/scans/lost-database.test.ts' },
  },
  {
    id: 'earlier-version-goes-on',
    rule: 'Processes of an earlier version read and write nothing once the schema is upgraded.',
    edits: [
      replaceCondition(['src/store/postgres/connection.ts', 'PostgresConnection.#requireSchema'], 'found', 'true'),
    ],
    test: { file: upgradeTest, title: 'those of earlier versions are refused' },
  },
  {
    id: 'upgrade-beside-writers',
    rule: 'A schema on a server is upgraded while no transaction writes.',
    edits: [
      replaceCall(['src/store/postgres/upgrade.ts', 'upgradeSchema'], 'transaction upgrade', '$0.atomically($2)'),
    ],
    test: { file: upgradeTest },
  },
  {
    id: 'import-overrules-person',
    rule: 'An import does not change what a person decided.',
    edits: [replaceCondition(['src/imports/apply/import-rows.ts', 'updateRow'], 'personDecides', 'false')],
    test: { file: 'tests/imports/import.test.ts', title: 'keeps the decision of a person' },
  },
  {
    id: 'apply-overwrites',
    rule: 'Applying files does not overwrite what was edited in the database since.',
    edits: [replaceCall(['src/definitions/apply.ts', 'applyFolder'], 'requireKnown', 'undefined')],
    test: { file: 'tests/definitions/definitions.test.ts' },
  },
  {
    id: 'certified-although-changed',
    rule: 'A metric whose meaning changes is no longer certified.',
    edits: [replaceAll(['src/metrics/lifecycle.ts', 'updateMetric.means'], 'false')],
    test: { file: 'tests/metrics' },
  },
  {
    id: 'audit-not-chained',
    rule: 'Each entry of the audit trail is hashed together with the one before it.',
    edits: [
      replaceCall(
        ['src/audit/audit-chain.store.ts', 'toDigest'],
        'update before',
        '$0.update(JSON.stringify(content))',
      ),
    ],
    test: { file: 'tests/audit/audit.test.ts', title: 'the audit trail' },
  },
]
