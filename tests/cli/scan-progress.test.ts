import { expect, it } from 'vitest'
import { toFailure } from '../../src/cli/scan-progress.ts'

const progress = { discovered: 0, scanned: 0, unchanged: 0, findings: { new: 0, again: 0, resolved: 0 } }
const failed = { status: 'FAILED', progress, scopes: [], reason: 'network' }

it.each([
  [
    [{ message: 'wiki.example could not be reached;\u202e check the network.' }],
    'could not be reached;\\u202e check the network.',
  ],
  [[], '(network); `assay console` shows what it read.'],
])('the message about a failed scan states what to do next: %j', (failures, told) => {
  expect(toFailure({ ...failed, failures })).toContain(told)
  expect(toFailure({ ...failed, failures })).toMatch(/^The scan failed/)
})
