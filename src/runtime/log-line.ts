import { isObject } from '../kernel/json-object.ts'
import { line, type PrintableText, showCode, showJson, showName, showSentence } from '../kernel/shown.ts'

/** A line of the log for people: local time, level, message, and the other members as `name=value`. */
export function toReadableLine(json: string): string {
  const entry = parse(json)
  if (entry === undefined) return json
  const { time, level, message, ...fields } = entry
  const at = new Date(String(time))
  const clock = Number.isNaN(at.getTime()) ? line`--:--:--` : showCode(at.toTimeString().slice(0, 8))
  const rest = Object.entries(fields).map(([name, value]) => line` ${showCode(name)}=${showValue(value)}`)
  return `${line`${clock} ${showCode(String(level)).padEnd(5) as PrintableText} ${showSentence(String(message))}`}${rest.join('')}\n`
}

function showValue(value: unknown): PrintableText {
  if (isObject(value) && typeof value.message === 'string') return showJson(value.message)
  return typeof value === 'string' ? showName(value) : showJson(value)
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const entry: unknown = JSON.parse(json)
    return isObject(entry) ? entry : undefined
  } catch {
    return undefined
  }
}
