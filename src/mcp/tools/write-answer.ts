import type { ToolAnswer } from '../protocol.ts'

/** The JSON of structures, which are long and written several times otherwise. */
const texts = new WeakMap<object, string>()

/** Keeps the JSON of the structure of an answer, which must not be changed any more. */
export function keepJson(structure: object, json: string): void {
  texts.set(structure, json)
}

/** The JSON of the structure of an answer, if it was kept. */
export const findJson = ({ structuredContent }: ToolAnswer): string | undefined =>
  structuredContent === undefined ? undefined : texts.get(structuredContent)

/** An answer as JSON. */
export function writeAnswer(answer: ToolAnswer): string {
  const json = findJson(answer)
  if (json === undefined) return JSON.stringify(answer)
  const { structuredContent, ...others } = answer
  return `${JSON.stringify(others).slice(0, -1)},"structuredContent":${json}}`
}
