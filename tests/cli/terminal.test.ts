import { testTerminalCommands } from './terminal-commands.ts'

// The long form runs every command at every width.
testTerminalCommands([
  { columns: 60, indexes: [7], colored: [7] },
  { columns: 120, indexes: [10], colored: [] },
])
