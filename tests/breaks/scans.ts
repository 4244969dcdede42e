import type { Break } from './break.ts'

const drive = 'src/scans/drive.ts'
const scanTest = 'tests/scans/scan.test.ts'
const loop = 'src/scans/loop.ts'
const loopTest = 'tests/scans/loop.test.ts'
const absence = 'src/scans/absence.ts'
const batch = 'src/scans/batch.ts'
const detected = 'src/findings/detected.ts'
const imports = 'src/scans/imports.ts'
const importTest = 'tests/scans/import.test.ts'
const importRows = 'src/scans/import-rows.ts'

/** Who drives a scan, and what a scan or an import may conclude. */
export const scanBreaks: readonly Break[] = [
  {
    id: 'claimed-twice',
    rule: 'A scan that somebody drives cannot be claimed.',
    file: drive,
    find: 'if (scan === undefined || !isOrphaned(scan, now)) return undefined',
    put: 'if (scan === undefined) return undefined',
    test: { file: 'tests/scans/drive.test.ts' },
  },
  {
    id: 'fence-not-moved',
    rule: 'Each claim has a token of its own.',
    file: 'src/scans/scans.store.ts',
    find: 'const token = scan.token + 1',
    put: 'const token = scan.token',
    test: { file: 'tests/scans/drive.test.ts' },
  },
  {
    id: 'late-writer-not-fenced',
    rule: 'Who has lost a scan writes nothing more for it.',
    file: drive,
    find: "return state === 'mine' ? { done: work(writer) } : { state }",
    put: "return state === 'mine' || state === 'lost' ? { done: work(writer) } : { state }",
    also: [
      {
        file: drive,
        find: "if (state !== 'mine') this.cancel(state)",
        put: "if (state === 'cancelled') this.cancel(state)",
      },
    ],
    test: { file: 'tests/scans/drive.test.ts' },
  },
  {
    id: 'late-finisher-not-fenced',
    rule: 'Who has lost a scan does not end it.',
    file: drive,
    find: "if (checkToken(writer, this.scan.id, this.#token) === 'lost') return false",
    put: '',
    test: { file: 'tests/scans/drive.test.ts' },
  },
  {
    id: 'silent-driver-kept',
    rule: 'A driver that was silent for long has lost its scan.',
    file: drive,
    find: 'return Math.abs(now - scan.heartbeatAt) > SILENCE_MS',
    put: 'return Math.abs(now - scan.heartbeatAt) > SILENCE_MS * 1e6',
    test: { file: loopTest },
  },
  {
    id: 'lease-never-ends',
    rule: 'The lease of a process that is gone goes to another.',
    file: loop,
    find: "return isCertainlyDead(lease.holder) ? 'free' : 'theirs'",
    put: "return 'theirs'",
    test: { file: loopTest, title: 'the lease' },
  },
  {
    id: 'run-started-twice',
    rule: 'A run that is due starts once.',
    file: loop,
    find: 'setNextRun(writer, id, nextRunAt(scheduleOf(source), now) ?? null)\n    if (findActiveScan',
    put: 'if (findActiveScan',
    test: { file: loopTest, title: 'a schedule' },
  },
  {
    id: 'overlap-started',
    rule: 'A source has one scan at a time.',
    file: loop,
    find: 'if (findActiveScan(writer, id) !== undefined) return undefined',
    put: '',
    also: [
      {
        file: 'src/scans/start.ts',
        find: 'if (active !== undefined) {',
        put: "if (active !== undefined && active.uid === '') {",
      },
    ],
    test: { file: loopTest, title: 'leaves out a run that falls into another' },
  },
  {
    id: 'partial-listing-believed',
    rule: 'What a partial listing does not show is not gone.',
    file: absence,
    find: "const listed = scopes.filter(({ state }) => state === 'COMPLETE').map(({ key }) => key)",
    put: "const listed = scopes.filter(({ state }) => state !== 'PENDING').map(({ key }) => key)",
    test: { file: scanTest, title: 'resolves nothing in it' },
  },
  {
    id: 'sample-believed',
    rule: 'What a sample does not show is not gone.',
    file: absence,
    find: '  if (drive.scan.sampled) return false\n',
    put: '',
    test: { file: scanTest, title: 'stays when only a sample was taken' },
  },
  {
    id: 'gone-at-first-absence',
    rule: 'An asset is gone when two whole listings in a row do not show it.',
    file: absence,
    find: 'const ABSENCES = 2',
    put: 'const ABSENCES = 1',
    test: { file: scanTest, title: 'must be absent twice in a row' },
  },
  {
    id: 'mass-vanishing-believed',
    rule: 'When very much is gone at once, a second listing decides.',
    file: absence,
    find: 'const hold = vanished >= MASS_COUNT && vanished > plan.total * MASS_SHARE',
    put: 'const hold = vanished < 0',
    test: { file: scanTest, title: 'in a mass waits for a second complete scan' },
  },
  {
    id: 'unread-asset-believed',
    rule: 'An asset that could not be read resolves nothing.',
    file: batch,
    find: "if (failure !== undefined) return 'failed'",
    put: "if (failure !== undefined) return 'whole'",
    test: { file: scanTest, title: 'that was edited and cannot be read' },
  },
  {
    id: 'stopped-detector-believed',
    rule: 'A detector that did not come to its end resolves nothing.',
    file: batch,
    find: "const cutsShort = new Set(['truncated', 'capped', 'detector_failed', 'budget_exceeded'])",
    put: 'const cutsShort = new Set<string>([])',
    test: { file: scanTest, title: 'keeps what was found in an asset that was read in part only' },
  },
  {
    id: 'decision-resolved',
    rule: 'A false positive stays one when it is no longer found.',
    file: detected,
    find: "if (!gone || decided.has(status) || status === 'RESOLVED') {",
    put: "if (!gone || status === 'RESOLVED') {",
    test: { file: 'tests/findings/ledger.test.ts' },
  },
  {
    id: 'decision-reopened',
    rule: 'A false positive stays one when it is found again.',
    file: detected,
    find: "if (before.facets.status !== 'RESOLVED') {",
    put: "if (before.facets.status === 'OPEN') {",
    test: { file: 'tests/findings/ledger.test.ts' },
  },
  {
    id: 'suppression-forgotten',
    rule: 'A suppression holds in later scans.',
    file: batch,
    find: '      suppressOpened(writer, ledger, at)\n',
    put: '',
    test: { file: 'tests/scans/suppressions.test.ts', title: 'by value holds' },
  },
  {
    id: 'suppression-not-for-imports',
    rule: 'A suppression holds for imported findings too.',
    file: 'src/scans/waiting-import.ts',
    find: '            suppressOpened(writer, ledger, at)\n',
    put: '',
    test: { file: 'tests/scans/suppressions.test.ts', title: 'holds for imported findings' },
  },
  {
    id: 'checkpoint-of-other-settings',
    rule: 'A checkpoint that was made under other settings is not used.',
    file: 'src/scans/engine.ts',
    find: 'if (configHash !== drive.scan.configHash || detectorsHash !== drive.scan.detectorsHash) {',
    put: "if (drive.scan.configHash === '') {",
    test: { file: loopTest, title: 'starts over when the source has other settings' },
  },
  {
    id: 'import-in-part',
    rule: 'A file with one bad line imports nothing.',
    file: imports,
    find: '    await discard(uid, store)\n    throw error\n',
    put: '    if (!(error instanceof AppError)) throw error\n    lines = 0\n    store.write((writer) => accept(writer, uid, name, context), { durable: true })\n',
    test: { file: importTest, title: 'leaves nothing behind after many good lines' },
  },
  {
    id: 'import-not-idempotent',
    rule: 'The same file a second time changes nothing.',
    file: importRows,
    find: 'if (before !== undefined) return { known: true,',
    put: 'if (before !== undefined && before.id < 0) return { known: true,',
    also: [
      {
        file: importRows,
        find: 'const id = ledger.insertIfNew({ assetId, fp, facets,',
        put: 'const id = ledger.insertIfNew({ assetId, fp: fp + Math.floor(Math.random() * 1e6), facets,',
      },
    ],
    test: { file: importTest, title: 'changes nothing when the file is the same' },
  },
  {
    id: 'import-overrules-person',
    rule: "An import leaves a person's decision alone.",
    file: importRows,
    find: 'if (personDecides(ledger, before, row)) {',
    put: 'if (before.id < 0 && personDecides(ledger, before, row)) {',
    test: { file: importTest, title: 'leaves the decision of a person alone' },
  },
  {
    id: 'import-into-scanned-source',
    rule: 'Nothing is imported into a source that is scanned.',
    file: imports,
    find: 'if (known !== undefined && known.type !== IMPORT_TYPE) {',
    put: "if (known !== undefined && known.type === '') {",
    test: { file: importTest, title: 'does not import into a source that is scanned' },
  },
]
