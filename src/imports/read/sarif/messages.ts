import { itemAt, memberOf, textOf } from './check.ts'
import type { SarifResult } from './model.ts'
import type { FoundRule } from './rules.ts'

/** The text of a result, in Markdown if there is no plain one (SARIF 2.1.0, 3.11). */
export function toMessageText({ message }: SarifResult, found: FoundRule): string | undefined {
  if (message === undefined) return undefined
  const own = message.text ?? message.markdown
  const values = message.arguments ?? []
  // Many tools write braces that are not doubled in messages without arguments.
  if (own !== undefined) return values.length === 0 ? own : fillIn(own, values)
  if (message.id === undefined) return undefined
  const string =
    memberOf(found.rule?.messageStrings, message.id) ??
    memberOf(memberOf(found.component, 'globalMessageStrings'), message.id)
  const text = textOf(memberOf(string, 'text')) ?? textOf(memberOf(string, 'markdown'))
  return text === undefined ? undefined : fillIn(text, values)
}

/** A placeholder without an argument is left as it is. */
const fillIn = (text: string, values: readonly string[]): string =>
  text.replace(/\{\{|\}\}|\{(\d+)\}/g, (whole, index?: string) =>
    index === undefined ? whole.slice(1) : String(itemAt(values, Number(index)) ?? whole),
  )
