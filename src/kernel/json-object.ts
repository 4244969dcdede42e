/** Whether a value is an object in JSON: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object that are not empty lists, for settings in which an empty list restricts nothing. */
export function withoutEmptyLists(settings: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => !Array.isArray(value) || value.length > 0))
}

/**
 * Whether JSON can represent a value exactly: no member is undefined, of a class, or a number without digits.
 * False for a value of more than `levels` levels, which could exceed the stack.
 */
export function isJson(value: unknown, levels = 100): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0)
  if (typeof value !== 'object' || levels === 0) return false
  if (Array.isArray(value)) return value.every((item) => isJson(item, levels - 1))
  if (Object.getPrototypeOf(value) !== Object.prototype || 'toJSON' in value) return false
  for (const key in value) if (!isJson(value[key as keyof typeof value], levels - 1)) return false
  return true
}

/** Freezes a value with everything in it. */
export function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(freeze)
  }
  return value
}
