/** Compares texts for a sort: the same on every machine, unlike an order of a language. */
export const byCodeUnits = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
