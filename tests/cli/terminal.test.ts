import { testTerminalCommands } from './terminal-commands.ts'

// The long form runs every command at every width.
testTerminalCommands([
  { columns: 60, indexes: [7, 12, 18] },
  { columns: 80, indexes: [8] },
  { columns: 120, indexes: [10] },
])
