import { InvalidArgumentError } from 'commander'
import { isObject } from '../kernel/json-object.ts'

/** Parses an argument that is a JSON object. @throws InvalidArgumentError */
export function toJsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Reported below, together with JSON that is not an object.
  }
  throw new InvalidArgumentError('Must be a JSON object.')
}
