import { toSafeText } from '../../detectors/safe-text.ts'
import type { ImportFacets, ImportLine } from '../read/import-line.ts'

/** Maximum number of remembered combinations. */
const MAX_COMBINATIONS = 5_000

type Names = Map<string, Map<string, Map<string, Map<string, Map<string, Map<string, ImportFacets>>>>>>

/**
 * Returns the same object for equal combinations of names as given, so that they can be compared by identity; the
 * object contains the masked names.
 */
export class FacetInterner {
  #known: Names = new Map()
  #size = 0

  find(line: Omit<ImportLine, 'asset'>): ImportFacets {
    const { detectorType, findingType, category = '', customDetectorKey = '', severity, status = 'OPEN' } = line
    const found = this.#known
      .get(findingType)
      ?.get(severity)
      ?.get(status)
      ?.get(detectorType)
      ?.get(category)
      ?.get(customDetectorKey)
    if (found !== undefined) return found
    if (this.#size++ >= MAX_COMBINATIONS) {
      this.#known = new Map()
      this.#size = 0
    }
    const facets: ImportFacets = {
      detectorType: toSafeText(detectorType, 'prose'),
      findingType: toSafeText(findingType, 'prose'),
      category: toSafeText(category, 'prose'),
      customDetectorKey: toSafeText(customDetectorKey, 'prose'),
      severity,
      status,
    }
    const bySeverity = under(this.#known, findingType)
    const byCategory = under(under(under(bySeverity, severity), status), detectorType)
    under(byCategory, category).set(customDetectorKey, facets)
    return facets
  }
}

function under<Inner>(names: Map<string, Map<string, Inner>>, name: string): Map<string, Inner> {
  const known = names.get(name) ?? new Map<string, Inner>()
  names.set(name, known)
  return known
}
