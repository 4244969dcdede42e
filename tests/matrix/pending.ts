/** Rows that no test stands for yet. */
export const pending: readonly string[] = [
  'R6',
  'R7',
  'R8',
  'R9',
  'R10',
  'R11',
  'R12',
  'R13',
  'R14',
  'R23',
  'R34',
  'T2',
  'T16',
  'T23',
  'T24',
]
