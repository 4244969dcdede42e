const ending = 'tests/e2e/stdio-end.test.ts'
const stdout = 'tests/e2e/stdout.test.ts'
const install = 'tests/packaging/install.test.ts'

/** How the program is started, served, ended and installed. */
export const rows: Record<string, readonly ({ file: string; test: string } | { bench: string })[]> = {
  R15: [
    { file: ending, test: 'answers what it had received, and ends when stdin does' },
    { file: ending, test: 'ends when nobody reads its answers any more' },
    { file: ending, test: 'ends when the process that started it is killed, although its pipes stay open' },
    {
      file: 'tests/e2e/windows.test.ts',
      test: 'leave no process behind after two seconds, whether they are closed or killed',
    },
    {
      file: 'tests/long/windows.test.ts',
      test: '100 windows, half of them killed, leave no process after two seconds',
    },
  ],
  R17: [
    {
      file: 'tests/background/query-thread.test.ts',
      test: 'the heaviest questions, eight at once over HTTP, read nothing in the thread that serves',
    },
    { bench: 'mixed' },
    { bench: 'health' },
  ],
  R34: [
    {
      file: 'tests/e2e/soak.test.ts',
      test: 'a server that scans a faulty wiki again and again keeps nothing open, and counts right in the end',
    },
    {
      file: 'tests/long/soak.test.ts',
      test: 'a server that works for hours on a faulty wiki keeps its files and its memory',
    },
  ],
  R39: [
    { file: 'tests/catalogue/junk.test.ts', test: '$name over REST' },
    { file: 'tests/catalogue/junk.test.ts', test: '$name over MCP' },
    { file: 'tests/catalogue/junk.test.ts', test: 'is refused as a body' },
    { file: 'tests/catalogue/junk.test.ts', test: 'is refused as a query string' },
    { file: 'tests/definitions/files.test.ts', test: 'of any text at all is read or refused with its place' },
  ],
  R40: [
    {
      file: install,
      test: 'runs from a folder and on a data folder with spaces and letters of other scripts in their names',
    },
    { file: install, test: 'says what to run when the native module is missing: %s' },
    { file: install, test: 'says so when its data folder cannot be made' },
    { file: 'tests/packaging/package.test.ts', test: 'holds what the program reads' },
  ],
  R41: [
    { file: 'tests/packaging/start.test.ts', test: 'lists its tools before it has read what answers questions' },
    { bench: 'start' },
  ],
  R42: [
    { file: stdout, test: 'at log level %s' },
    { file: stdout, test: 'whatever else in the process wants to speak' },
  ],
}
