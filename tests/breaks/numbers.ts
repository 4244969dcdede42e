import type { Break } from './break.ts'
import { replaceAll, replaceCall, replaceCondition, replaceOperand, replaceProperty, replaceReturned } from './break.ts'

const missing = 'src/scans/missing-assets.ts'
const batch = 'src/scans/batch.ts'
const scanTest = 'tests/scans/scan.test.ts'
const unpublishedTest = 'tests/imports/unpublished.test.ts'
const importRows = 'src/imports/apply/import-rows.ts'

/** Rules whose loss would make an answer wrong. */
export const numberBreaks: readonly Break[] = [
  {
    id: 'partial-listing-believed',
    rule: 'Findings of assets that an incomplete listing leaves out are not resolved.',
    edits: [
      replaceCall(
        [missing, 'listConclusiveScopes'],
        'listWholeScopes',
        'listScopes(reader, lease.scan.id).map(({ key }) => key)',
      ),
    ],
    test: { file: scanTest, title: 'resolves nothing in it' },
  },
  {
    id: 'unread-asset-believed',
    rule: 'Findings of an asset that could not be read are not resolved.',
    edits: [replaceProperty([batch, 'storeChunk'], 'examinedTypes', 'new Set(options.detectorTypes)')],
    test: { file: scanTest, title: 'that was edited and cannot be read' },
  },
  {
    id: 'stopped-detector-believed',
    rule: 'A detector that did not finish resolves nothing.',
    edits: [replaceAll([batch, 'cutsShort'], 'new Set()')],
    test: { file: scanTest, title: 'keeps findings in an asset that was read only in part' },
  },
  {
    id: 'unread-section-believed',
    rule: 'Findings in a part of an asset that was not read are not resolved.',
    edits: [replaceProperty([batch, 'storeChunk'], 'unread', '[]')],
    test: { file: scanTest, title: 'that the platform returned only in part' },
  },
  {
    id: 'suppression-forgotten',
    rule: 'A suppression holds in later scans.',
    edits: [replaceCall([batch, 'storeChunk'], 'suppressOpened', 'undefined')],
    test: { file: 'tests/scans/suppressions.test.ts', title: 'by value applies' },
  },
  {
    id: 'decision-resolved',
    rule: 'A false positive stays one when it is no longer found.',
    edits: [replaceOperand(['src/findings/detected.ts', 'handleMissingFinding'], 'isDecided', 'false')],
    test: { file: 'tests/findings/ledger.test.ts' },
  },
  {
    id: 'deleted-source-counted',
    rule: 'The findings of a source that is being deleted are in no number.',
    edits: [replaceCondition(['src/query/engine/executor.ts', 'openNarrowing'], 'deleted', 'true')],
    test: { file: 'tests/scans/deletion.test.ts', title: 'leaves nothing in any answer' },
  },
  {
    id: 'unpublished-findings-counted',
    rule: 'Nothing of an import is shown until all of it is stored.',
    edits: [replaceReturned(['src/store/snapshot-rows.ts', 'toCondition'], 'finding combos', "''")],
    test: { file: unpublishedTest, title: 'is visible completely or not visible to SQL' },
  },
  {
    id: 'engine-misses-correction',
    rule: 'The columnar index notices when the time of a resolution is corrected.',
    edits: [replaceCondition(['src/findings/ledger.store.ts', 'FindingLedger.correctResolution'], 'changes', 'false')],
    test: { file: 'tests/engine/history.test.ts', title: 'has corrected a resolution time' },
  },
  {
    id: 'engine-keeps-old-past',
    rule: 'The past of a finding is counted under its present severity and confidence.',
    edits: [replaceCall(['src/engine/index/history.store.ts', 'follow'], 'remove', '$0.remove($1, now, $3)')],
    test: { file: 'tests/engine/history.test.ts', title: 'past states match SQL' },
  },
  {
    id: 'import-not-idempotent',
    rule: 'Importing the same file again changes nothing.',
    edits: [
      replaceCondition([importRows, 'storeRow'], 'isNew', 'false'),
      replaceProperty([importRows, 'toFinding'], 'fp', 'line.fp + Math.floor(Math.random() * 1e6)'),
    ],
    test: { file: 'tests/imports/import.test.ts', title: 'changes nothing when the file is unchanged' },
  },
]
