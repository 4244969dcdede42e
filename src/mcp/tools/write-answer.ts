import type { ToolAnswer } from '../protocol.ts'

/** The JSON of structures, which are long and written several times otherwise. */
const texts = new WeakMap<object, string>()

/** Keeps the JSON of the structure of an answer, which must not be changed any more. */
export function keepJson(structure: object, json: string): void {
  texts.set(structure, json)
}

/** The JSON of answers, whose size is measured before they are sent. */
const written = new WeakMap<ToolAnswer, string>()

/** An answer as JSON; it must not be changed any more. */
export function writeAnswer(answer: ToolAnswer): string {
  const known = written.get(answer)
  if (known !== undefined) return known
  const { structuredContent, ...others } = answer
  const json = structuredContent === undefined ? undefined : texts.get(structuredContent)
  const text =
    json === undefined ? JSON.stringify(answer) : `${JSON.stringify(others).slice(0, -1)},"structuredContent":${json}}`
  written.set(answer, text)
  return text
}
