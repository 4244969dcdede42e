/** What wiki authors can do to detectors and parsers, and to who reads what they found. */
export const rows: Record<string, readonly { file: string; test: string }[]> = {
  R31: [
    { file: 'tests/documents/bombs.test.ts', test: 'huge inputs' },
    { file: 'tests/long/documents/bombs.test.ts', test: 'huge inputs' },
  ],
  T13: [
    { file: 'tests/detectors/patterns.test.ts', test: 'built-in patterns' },
    { file: 'tests/detectors/patterns.test.ts', test: 'attack strings' },
    { file: 'tests/detectors/patterns.test.ts', test: 'hostile texts' },
    {
      file: 'tests/long/detectors/patterns.test.ts',
      test: 'no built-in pattern takes more than 50 ms of a core for 64 KB of an attack string of 1 MB',
    },
    { file: 'tests/long/detectors/hostile.test.ts', test: 'no 2 MB, however hostile, take %s two seconds of one core' },
  ],
  T14: [
    { file: 'tests/documents/bombs.test.ts', test: 'bombs' },
    {
      file: 'tests/long/documents/bombs.test.ts',
      test: 'take at most 64 MB and two seconds of a core, each in a process of its own',
    },
  ],
  T15: [{ file: 'tests/catalogue/injected.test.ts', test: 'texts that want to steer an assistant' }],
}
