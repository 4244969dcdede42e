process.env.ASSAY_LONG = '1'
const { testTerminalCommands } = await import('../cli/terminal-commands.ts')

const indexes = Array.from({ length: 20 }, (_, at) => at)
testTerminalCommands([60, 80, 120].map((columns) => ({ columns, indexes, colored: indexes })))
