/** Whether a value is an object in JSON: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object that are not empty lists, for settings in which an empty list restricts nothing. */
export function withoutEmptyLists(settings: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => !Array.isArray(value) || value.length > 0))
}

export type Given<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> }

/** The members that are given: those that are not undefined. */
export const given = <Members extends object>(members: Members): Given<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<Members>
