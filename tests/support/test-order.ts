// Which test files share a process, and in which order they run there.

/** Rooms whose tests open vaults, which remember secrets and mask them from then on; the slowest first. */
const openVaults = [
  ...['e2e', 'background', 'watches', 'scans', 'audit', 'cross-asset-checks', 'doctor', 'faults', 'golden', 'sources'],
]

/** Tests of other rooms that open vaults. */
const alsoOpenVaults = [
  'tests/cli/call.test.ts',
  'tests/cli/data-use.test.ts',
  'tests/cli/live-scan.test.ts',
  'tests/cli/mistakes.test.ts',
  'tests/cli/setup.test.ts',
  'tests/cli/sources.test.ts',
  'tests/connectors/bi/revisit.test.ts',
  'tests/imports/import.test.ts',
  'tests/imports/large-import.test.ts',
]

/** Tests of these rooms that look for secrets which no vault has remembered: they remember none, and run before the others. */
const beforeVaults = ['tests/e2e/planted-texts.test.ts']

/** Tests that replace modules or clocks, measure memory, or look for secrets that no vault has remembered. */
export const alone = [
  'tests/access/tokens.test.ts',
  'tests/catalogue/lockdown-doors.test.ts',
  'tests/cli/planted-arguments.test.ts',
  'tests/connectors/bi/options.test.ts',
  'tests/connectors/bi/stuck.test.ts',
  'tests/connectors/clock.test.ts',
  'tests/connectors/wiki/gateway.test.ts',
  'tests/connectors/wiki/options.test.ts',
  'tests/doctor/examine.test.ts',
  'tests/documents/bombs.test.ts',
  'tests/runtime/log.test.ts',
  'tests/scans/canary.test.ts',
  'tests/scans/redaction.test.ts',
  'tests/scans/withheld.test.ts',
  'tests/store/network.test.ts',
  'tests/store/no-links.test.ts',
  'tests/store/remembered.test.ts',
  'tests/store/vault-file.test.ts',
]

/** When a file runs in a process that it shares: 0 if it opens no vault, otherwise after all files of that kind. */
export function vaultOrder(file: string): number {
  const path = file.replaceAll('\\', '/').replace(/^.*\/tests\//, 'tests/')
  if (beforeVaults.includes(path)) return 0
  if (alsoOpenVaults.includes(path)) return 1
  return openVaults.indexOf(path.split('/')[1] ?? '') + 1
}
