import { hash } from 'node:crypto'
import type { Fingerprints, SarifResult } from './model.ts'

/** What tools write where they have no value. */
const placeholders = new Set(['', 'requires login', '{}', '[]', 'null'])
export const isPlaceholder = (value: string): boolean => placeholders.has(value.trim().toLowerCase())

/** Longer keys are hashed, so that a log of many results takes little memory. */
const MAX_KEY_LENGTH = 100

/** A text that only equal values have. */
export function toKey(...parts: readonly unknown[]): string {
  const text = JSON.stringify(parts)
  return text.length > MAX_KEY_LENGTH ? hash('sha256', text, 'base64') : text
}

/** Fingerprints as one text; undefined if none of them says anything. */
function join(fingerprints: Fingerprints | undefined): string | undefined {
  if (fingerprints === undefined) return undefined
  const texts = Object.entries(fingerprints)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)] as const)
    .filter(([, value]) => !isPlaceholder(value))
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return texts.length === 0 ? undefined : toKey(texts)
}

/** The stable fingerprints of a result, then the partial ones. */
export const toFingerprints = ({ fingerprints, partialFingerprints }: SarifResult): string[] =>
  [join(fingerprints), join(partialFingerprints)].filter((each) => each !== undefined)

const snippetOf = ({ locations }: SarifResult) => locations?.[0]?.physicalLocation?.region?.snippet?.text

/**
 * The fingerprints of the results of a run. Those that a tool gives to results which have nothing in common are
 * placeholders. Results with one fingerprint may well be at one place, or have the same content: equal lines, a line
 * that breaks two rules, a file that was copied.
 */
export class RunFingerprints {
  readonly #counts = new Map<string, number>()
  /** The places and contents of the results with each fingerprint that was compared. */
  readonly #compared = new Map<string, Set<string>>()
  readonly #placeholders = new Set<string>()

  count(fingerprints: readonly string[]): void {
    for (const each of fingerprints) this.#counts.set(each, (this.#counts.get(each) ?? 0) + 1)
  }

  /** Whether other results have one of these fingerprints, too, so that they must be compared. */
  isShared = (fingerprints: readonly string[]): boolean => fingerprints.some((each) => this.#counts.get(each) !== 1)

  compare(result: SarifResult, fingerprints: readonly string[]): void {
    const { ruleId, ruleIndex, rule, message, locations } = result
    const { physicalLocation, logicalLocations } = locations?.[0] ?? {}
    const { artifactLocation, region } = physicalLocation ?? {}
    const place = toKey('place', artifactLocation, region?.startLine, logicalLocations)
    const content = toKey('content', snippetOf(result) ?? [ruleId, ruleIndex, rule, message])
    for (const fingerprint of fingerprints) {
      const known = this.#compared.get(fingerprint)
      if (known !== undefined && !known.has(place) && !known.has(content)) this.#placeholders.add(fingerprint)
      this.#compared.set(fingerprint, (known ?? new Set()).add(place).add(content))
    }
  }

  /** What identifies a result among those of its asset, tool and rule. */
  identify(result: SarifResult, fingerprints: readonly string[], message: string | undefined): readonly unknown[] {
    const fingerprint = fingerprints.find((each) => !this.#placeholders.has(each))
    if (fingerprint !== undefined) return ['fingerprint', fingerprint]
    const snippet = snippetOf(result)
    return snippet === undefined ? ['message', message] : ['snippet', snippet]
  }
}

/** Numbers the results of a log that have one identity by their order; a result that is repeated keeps its number. */
export class ResultNumbers {
  /** The forms of the results with each identity, with their numbers; mostly there is one. */
  readonly #forms = new Map<string, string | Map<string, number>>()

  take(identity: string, form: string): number {
    const forms = this.#forms.get(identity)
    if (forms === undefined) this.#forms.set(identity, form)
    if (forms === undefined || forms === form) return 1
    const numbers = typeof forms === 'string' ? new Map([[forms, 1]]) : forms
    const number = numbers.get(form) ?? numbers.size + 1
    this.#forms.set(identity, numbers.set(form, number))
    return number
  }
}
