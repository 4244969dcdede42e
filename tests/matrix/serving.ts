/** How the program is started, served, ended and installed. */
export const rows: Record<string, readonly { file: string; test: string }[]> = {
  R15: [
    { file: 'tests/e2e/stdio-end.test.ts', test: 'answers what it had received, and ends when stdin does' },
    { file: 'tests/e2e/stdio-end.test.ts', test: 'ends when nobody reads its answers any more' },
    {
      file: 'tests/e2e/stdio-end.test.ts',
      test: 'ends when the process that started it is killed, although its pipes stay open',
    },
  ],
}
