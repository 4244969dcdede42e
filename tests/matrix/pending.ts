/** Rows that no test stands for yet. */
export const pending: readonly string[] = ['T16']
