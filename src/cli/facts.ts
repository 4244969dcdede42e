import { isObject } from '../kernel/json-object.ts'
import { joinShown, line, type PrintableText, showJson, showName, showSentence } from '../kernel/shown.ts'
import { type Block, cell, fields, type TableCell } from './output/blocks.ts'

export type Fact = readonly [name: PrintableText, value: TableCell]

/** The facts that are known. */
export const toFacts = (...facts: readonly (Fact | undefined)[]): Block =>
  fields(...facts.filter((fact): fact is Fact => fact !== undefined && fact[1].text !== ''))

/** Every leaf of an object as a fact, named by its path. */
export function listLeaves(value: Record<string, unknown>, path: readonly string[] = []): Fact[] {
  return Object.entries(value).flatMap(([name, member]): Fact[] => {
    const here = [...path, name]
    if (isObject(member)) return listLeaves(member, here)
    return [[showSentence(here.join('.')), cell.shown(showLeaf(member))]]
  })
}

function showLeaf(value: unknown): PrintableText {
  if (typeof value === 'string') return showSentence(value)
  if (Array.isArray(value) && value.every(isTyped)) return joinShown(value.map(showTyped))
  const isPlainList =
    Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')
  return isPlainList ? showSentence(value.join(', ')) : showJson(value)
}

interface Typed {
  type: string
  enabled?: boolean
}

/** An item of a list such as `detectors`. */
const isTyped = (item: unknown): item is Typed => isObject(item) && typeof item.type === 'string'

const showTyped = ({ type, enabled }: Typed) => line`${showName(type)}${enabled === false ? line` (off)` : line``}`
