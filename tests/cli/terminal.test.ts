import { isLong } from '../support/long.ts'
import { testTerminalCommands } from './terminal-commands.ts'

const all = Array.from({ length: 20 }, (_, at) => at)
testTerminalCommands(
  isLong
    ? [60, 80, 120].map((columns) => ({ columns, indexes: all, colored: all }))
    : [
        { columns: 60, indexes: [7], colored: [7] },
        { columns: 120, indexes: [10], colored: [] },
      ],
)
