// Which test files share a process, and in which order they run there.

/** Rooms whose tests open vaults, which remember secrets and mask them from then on. */
const openVaults = [
  ...['audit', 'background', 'cross-asset-checks', 'doctor', 'e2e', 'faults', 'golden', 'scans', 'sources', 'upgrade'],
  'watches',
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
const beforeVaults = ['tests/e2e/planted-texts.test.ts', 'tests/upgrade/hide-stored.test.ts']

/** Tests that replace modules or clocks, measure memory, or look for secrets that no vault has remembered. */
export const alone = [
  'tests/access/tokens.test.ts',
  'tests/catalogue/lockdown-canary.test.ts',
  'tests/cli/planted-arguments.test.ts',
  'tests/connectors/bi/options.test.ts',
  'tests/connectors/bi/stuck.test.ts',
  'tests/connectors/clock.test.ts',
  'tests/connectors/wiki/options.test.ts',
  'tests/doctor/examine.test.ts',
  'tests/documents/bombs.test.ts',
  'tests/runtime/log.test.ts',
  'tests/scans/canary.test.ts',
  'tests/scans/redaction.test.ts',
  'tests/store/network.test.ts',
  'tests/store/no-links.test.ts',
  'tests/store/remembered.test.ts',
  'tests/store/vault-file.test.ts',
]

const toPath = (file: string): string => file.replaceAll('\\', '/').replace(/^.*\/tests\//, 'tests/')
const roomOf = (file: string): string => toPath(file).split('/')[1] ?? ''

/** Whether a file opens vaults, so that it runs after all files that open none. */
export function opensVault(file: string): boolean {
  const path = toPath(file)
  return !beforeVaults.includes(path) && (alsoOpenVaults.includes(path) || openVaults.includes(roomOf(path)))
}

/** Spreads the files of each room over the whole time, because those of one room wait, or need a processor, alike. */
export function spreadRooms<Each>(files: readonly Each[], fileOf: (each: Each) => string): Each[] {
  const all = files.map((each) => ({ each, room: roomOf(fileOf(each)) }))
  const placed = [...new Set(all.map(({ room }) => room))].flatMap((name) => {
    const room = all.filter((each) => each.room === name)
    return room.map(({ each }, at) => ({ each, place: (at + 0.5) / room.length }))
  })
  return placed.sort((one, other) => one.place - other.place).map(({ each }) => each)
}
