import type { ToolAnswer } from '../protocol.ts'

/** The JSON of structures, which are long and written several times otherwise. */
const texts = new WeakMap<object, string>()

/** Keeps the JSON of the structure of an answer, which must not be changed any more. */
export function keepJson(structure: object, json: string): void {
  texts.set(structure, json)
}

/** An answer as JSON. */
export function writeAnswer(answer: ToolAnswer): string {
  const { structuredContent, ...others } = answer
  const json = structuredContent === undefined ? undefined : texts.get(structuredContent)
  return json === undefined
    ? JSON.stringify(answer)
    : `${JSON.stringify(others).slice(0, -1)},"structuredContent":${json}}`
}
