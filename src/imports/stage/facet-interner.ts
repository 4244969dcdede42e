import { toSafeText } from '../../detectors/safe-text.ts'
import type { ImportLine } from '../read/import-line.ts'
import { facetDefaults, facetNames, type ImportFacets } from '../read/import-row.ts'

/** Maximum number of remembered combinations. */
const MAX_COMBINATIONS = 5_000

type Names = Map<string, Names | ImportFacets>

/**
 * Returns the same object for equal combinations of names as given, so that they can be compared by identity; the
 * object contains the masked names.
 */
export class FacetInterner {
  #known: Names = new Map()
  #size = 0

  find(line: Pick<ImportLine, keyof ImportFacets>): ImportFacets {
    let known: Names | ImportFacets | undefined = this.#known
    for (const name of facetNames) {
      known = (known as Names).get(line[name] ?? facetDefaults[name] ?? '')
      if (known === undefined) return this.#add(line)
    }
    return known as ImportFacets
  }

  #add(line: Pick<ImportLine, keyof ImportFacets>): ImportFacets {
    if (this.#size++ >= MAX_COMBINATIONS) {
      this.#known = new Map()
      this.#size = 0
    }
    const given = facetNames.map((name) => line[name] ?? facetDefaults[name] ?? '')
    // Severities and statuses are short words of a closed list, which masking leaves unchanged.
    const facets = Object.fromEntries(
      facetNames.map((name, at) => [name, toSafeText(given[at] ?? '', 'prose')]),
    ) as unknown as ImportFacets
    let names = this.#known
    for (const name of given.slice(0, -1)) {
      const inner = (names.get(name) as Names | undefined) ?? new Map()
      names.set(name, inner)
      names = inner
    }
    names.set(given.at(-1) ?? '', facets)
    return facets
  }
}
