import { mix } from './shingles.ts'

/**
 * 21 bands of 6 rows: two texts that share 85 % of their shingles have a common band with probability 99.995 %, two
 * that share 50 % with 28 %. Every candidate is verified exactly.
 */
export const BANDS = 21
const ROWS = 6

/** Must never change, because signatures of different scans are compared. */
const seeds = Uint32Array.from({ length: BANDS * ROWS }, (_, index) => mix(Math.imul(index + 1, 0x9e3779b1)))

/** One number for each band of the MinHash signature; similar texts have some in common. */
export function toBands(shingles: Uint32Array): Uint32Array {
  const least = new Uint32Array(seeds.length).fill(0xffffffff)
  for (const shingle of shingles) {
    for (let row = 0; row < seeds.length; row++) {
      const hash = mix(shingle ^ (seeds[row] ?? 0))
      if (hash < (least[row] ?? 0)) least[row] = hash
    }
  }
  const bands = new Uint32Array(BANDS)
  for (let band = 0; band < BANDS; band++) {
    let hash = band
    for (let row = 0; row < ROWS; row++) hash = mix(Math.imul(hash, 31) ^ (least[band * ROWS + row] ?? 0))
    bands[band] = hash
  }
  return bands
}
