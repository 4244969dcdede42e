/**
 * Caches the results of a function of a text; when `max` are cached, all are dropped, which is cheaper than keeping an
 * order of use.
 */
export function memoize<Result>(max: number, compute: (text: string) => Result): (text: string) => Result {
  const results = new Map<string, Result>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined || results.has(text)) return known as Result
    const result = compute(text)
    if (results.size >= max) results.clear()
    results.set(text, result)
    return result
  }
}
