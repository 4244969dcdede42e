import { NONE, quoteOwnWord } from '../../findings/missing-value.ts'
import { cutSafe, internalText, joinSafe, ownText, type SafeText } from '../../kernel/safe-text.ts'
import type { GroupKey } from './plan.ts'

/**
 * Separates the name, the key and the row id of an asset in a group key: it sorts before every character of a name, so
 * that groups are in the order of their names, then of their keys.
 */
const SEPARATOR = '\u0000'

/** Names an asset so that names sort first and equal names are distinguished. */
export const toAssetName = (name: SafeText, key: SafeText, id: number): SafeText =>
  joinSafe([name, key, internalText(String(id))], SEPARATOR)

/** The row id of the asset that a group is of. */
export const toAssetId = (name: SafeText): number => Number(name.slice(name.lastIndexOf(SEPARATOR) + 1))

/** The name of one value of a group, as answers show it. */
export function toValueName(name: SafeText | null | undefined): SafeText {
  if (name === null || name === undefined) return ownText(NONE)
  const end = name.indexOf(SEPARATOR)
  return quoteOwnWord(end < 0 ? name : cutSafe(name, end))
}

/** The name of a group, as answers show it. */
export const toGroupName = (key: GroupKey): SafeText => joinSafe(key.map(toValueName), ' / ')

/** The order of groups with equal values: by name, then by the key of an asset. */
export function compareKeys(a: GroupKey, b: GroupKey): number {
  const [left, right] = [toGroupName(a), toGroupName(b)]
  if (left !== right) return left < right ? -1 : 1
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? null
    if (one === other) continue
    if (one === null || other === null) return one === null ? 1 : -1
    return one < other ? -1 : 1
  }
  return 0
}
