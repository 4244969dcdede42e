import type { ImageReader, ImageWriter } from '../image.ts'
import { Facet, grown } from './facet.ts'

/** The facets that a finding takes from its asset; names as ids of the dictionary. */
export interface AssetFacets {
  kind: number
  container: number
  source: number
  audience: number
  /** 1 if the asset is deleted. */
  deleted: number
  /** 1 if the asset has ever been scanned. */
  scanned: number
}

/** Facets with too many values for places: each asset has its own. Names and sets of labels as ids. */
export interface OwnFacets {
  owner: number
  labels: number
  dataset: number
}

const noOwnFacets: OwnFacets = { owner: 0, labels: 0, dataset: 0 }
export const ownFacets = ['owner', 'labels', 'dataset'] as const
export const isOwnFacet = (name: string): name is keyof OwnFacets => name in noOwnFacets
export const placeFacets = ['kind', 'container', 'source', 'audience', 'deleted', 'scanned'] as const
export const isPlaceFacet = (name: string): name is keyof AssetFacets =>
  (placeFacets as readonly string[]).includes(name)
const counters = ['count', 'placeCount', 'version', 'moves', 'relocations', 'containerMoves'] as const

/** The number of (severity, status) pairs, numbered `severity * 4 + status`. */
const BITS = 24
/** Counts are stored in one byte; from this value on, the full count is in `#overflow`. */
const FULL = 255

/**
 * Assets under dense numbers, each with its place (a distinct combination of asset facets) and a bit mask of the
 * (severity, status) pairs that its findings have now. Few distinct masks occur, so counting the assets that match any
 * of several pairs only reads those masks.
 */
export class AssetTable {
  /** The place of each asset, by asset number. */
  placeOf = new Uint32Array(64)
  /** The facet values of each place. */
  readonly facets: Readonly<Record<keyof AssetFacets, Facet>> = {
    kind: new Facet(),
    container: new Facet(),
    source: new Facet(),
    audience: new Facet(),
    deleted: new Facet(),
    scanned: new Facet(),
  }
  /** Facets by asset number. */
  readonly own: Readonly<Record<keyof OwnFacets, Facet>> = {
    owner: new Facet(),
    labels: new Facet(),
    dataset: new Facet(),
  }
  /** The row id of each asset, by asset number. */
  ids = new Float64Array(64)
  placeCount = 0
  count = 0
  /** Incremented when an asset is added, moves to another place or gets another facet of its own. */
  version = 0
  /** The number of assets at each place. */
  #shareOf = new Uint32Array(64)
  /** Incremented when an asset moves to another place or a place gets its first asset. */
  moves = 0
  /** Incremented when an asset with findings moves to another place, which invalidates counts by place. */
  relocations = 0
  /** Incremented when such a move also changes the container. */
  containerMoves = 0
  /** Incremented when an asset with findings gets another facet of its own. */
  ownMoves = 0
  readonly #placeNumbers = new Map<string, number>()
  readonly #numbers = new NumberMap()
  #masks = new Uint32Array(64)
  /** The number of findings of each asset. */
  #totals = new Uint32Array(64)
  #counts = new Uint8Array(64 * BITS)
  readonly #overflow = new Map<number, number>()
  /** All masks seen so far, and the number of assets that have each. */
  #seen = new Uint32Array(64)
  #shares = new Uint32Array(64)
  readonly #slots = new Map<number, number>()

  find(id: number): number | undefined {
    return this.#numbers.get(id)
  }

  /** Adds an asset or moves it to another place; returns its number. */
  put(id: number, place: AssetFacets, own: OwnFacets = noOwnFacets): number {
    const number = this.#put(id, place)
    for (const name of ownFacets) {
      if (number < this.own[name].size && this.own[name].valueOf(number) === own[name]) continue
      this.own[name].put(number, own[name])
      this.version++
      if (this.#masks[number] !== 0) this.ownMoves++
    }
    return number
  }

  #put(id: number, place: AssetFacets): number {
    const at = this.#placeNumber(place)
    let number = this.#numbers.get(id)
    if (number === undefined) {
      number = this.count++
      this.#numbers.set(id, number)
      if (number >= this.placeOf.length) {
        this.placeOf = grown(this.placeOf, number + 1)
        this.ids = grown(this.ids, this.placeOf.length)
        const { length } = this.placeOf
        this.#masks = grown(this.#masks, length)
        this.#totals = grown(this.#totals, length)
        this.#counts = grown(this.#counts, length * BITS)
      }
    } else {
      const before = this.placeOf[number] ?? 0
      if (before === at) return number
      this.#changeStatusCount(before, -1)
      if (this.#masks[number] !== 0) {
        this.relocations++
        if (this.facets.container.valueOf(before) !== place.container) this.containerMoves++
      }
    }
    this.ids[number] = id
    this.version++
    this.placeOf[number] = at
    this.#changeStatusCount(at, 1)
    return number
  }

  /** The number of assets at a place. */
  countAt(place: number): number {
    return this.#shareOf[place] ?? 0
  }

  /** The distinct values of a facet among current assets. */
  listIds(name: keyof AssetFacets | keyof OwnFacets): number[] {
    if (isOwnFacet(name)) return this.own[name].listValues(this.count)
    const ids = new Set<number>()
    for (let place = 0; place < this.placeCount; place++) {
      if ((this.#shareOf[place] ?? 0) > 0) ids.add(this.facets[name].valueOf(place))
    }
    return [...ids]
  }

  #changeStatusCount(place: number, by: 1 | -1): void {
    if (place >= this.#shareOf.length) this.#shareOf = grown(this.#shareOf, place + 1)
    const share = (this.#shareOf[place] ?? 0) + by
    this.#shareOf[place] = share
    if (by === -1 || share === 1) this.moves++
  }

  /** Counts a finding of an asset that gains (`by` 1) or loses (-1) the (severity, status) pair numbered `bit`. */
  countStatus(asset: number, bit: number, by: 1 | -1): void {
    this.#totals[asset] = (this.#totals[asset] ?? 0) + by
    const at = asset * BITS + bit
    const before = this.#countAt(at)
    const after = before + by
    if (after < FULL) {
      this.#counts[at] = after
      if (before >= FULL) this.#overflow.delete(at)
    } else {
      this.#counts[at] = FULL
      this.#overflow.set(at, after)
    }
    if (before !== 0 && after !== 0) return
    const mask = this.#masks[asset] ?? 0
    this.#masks[asset] = mask ^ (1 << bit)
    if (mask !== 0) this.#tally(mask, -1)
    this.#tally(mask ^ (1 << bit), 1)
  }

  /** The number of assets that have a finding with at least one of the (severity, status) bits. */
  countWithAny(bits: number): number {
    let count = 0
    const [seen, shares, slots] = [this.#seen, this.#shares, this.#slots.size]
    for (let slot = 0; slot < slots; slot++) if (((seen[slot] ?? 0) & bits) !== 0) count += shares[slot] ?? 0
    return count
  }

  /** The number of findings of each asset that have one of the (severity, status) bits, by asset number. */
  countFindings(bits: number): Uint32Array {
    let present = 0
    const [seen, shares, slots] = [this.#seen, this.#shares, this.#slots.size]
    for (let slot = 0; slot < slots; slot++) if (shares[slot] !== 0) present |= seen[slot] as number
    if ((present & ~bits) === 0) return this.#totals.subarray(0, this.count)
    const counts = new Uint32Array(this.count)
    const wanted = Array.from({ length: BITS }, (_, bit) => bit).filter((bit) => (bits & (1 << bit)) !== 0)
    for (let asset = 0; asset < counts.length; asset++) {
      if (((this.#masks[asset] as number) & bits) === 0) continue
      let count = 0
      for (const bit of wanted) count += this.#countAt(asset * BITS + bit)
      counts[asset] = count
    }
    return counts
  }

  #countAt(at: number): number {
    const small = this.#counts[at] ?? 0
    return small === FULL ? (this.#overflow.get(at) ?? FULL) : small
  }

  #tally(mask: number, by: number): void {
    let slot = this.#slots.get(mask)
    if (slot === undefined) {
      slot = this.#slots.size
      if (slot >= this.#seen.length) {
        this.#seen = grown(this.#seen, slot + 1)
        this.#shares = grown(this.#shares, slot + 1)
      }
      this.#seen[slot] = mask
      this.#slots.set(mask, slot)
    }
    this.#shares[slot] = (this.#shares[slot] ?? 0) + by
  }

  #placeNumber(place: AssetFacets): number {
    this.#completePlaces()
    const key = placeFacets.map((name) => place[name]).join(' ')
    const known = this.#placeNumbers.get(key)
    if (known !== undefined) return known
    const number = this.placeCount++
    for (const name of placeFacets) this.facets[name].put(number, place[name])
    this.#placeNumbers.set(key, number)
    return number
  }

  /** Of a restored table, whose places are indexed when an asset is first put. */
  #completePlaces(): void {
    for (let place = this.#placeNumbers.size; place < this.placeCount; place++) {
      this.#placeNumbers.set(placeFacets.map((name) => this.facets[name].valueOf(place)).join(' '), place)
    }
  }

  save(image: ImageWriter): void {
    const { count, placeCount } = this
    image.addNumbers(counters.map((name) => this[name]))
    image.add(this.placeOf, count)
    image.add(this.ids, count)
    image.add(this.#masks, count)
    image.add(this.#totals, count)
    image.add(this.#counts, count * BITS)
    for (const name of placeFacets) this.facets[name].save(image)
    for (const name of ownFacets) this.own[name].save(image)
    image.add(this.#shareOf, placeCount)
    image.add(this.#seen, this.#slots.size)
    image.add(this.#shares, this.#slots.size)
    image.addNumbers([this.#slots.size])
    image.addPairs(this.#overflow)
    this.#numbers.save(image)
  }

  restore(image: ImageReader): void {
    Object.assign(this, image.takeNamed(counters))
    this.placeOf = image.take(Uint32Array)
    this.ids = image.take(Float64Array)
    this.#masks = image.take(Uint32Array)
    this.#totals = image.take(Uint32Array)
    this.#counts = image.take(Uint8Array)
    for (const name of placeFacets) this.facets[name].restore(image)
    for (const name of ownFacets) this.own[name].restore(image)
    this.#shareOf = image.take(Uint32Array)
    this.#seen = image.take(Uint32Array)
    this.#shares = image.take(Uint32Array)
    const { slots } = image.takeNamed(['slots'])
    this.#slots.clear()
    for (let slot = 0; slot < slots; slot++) this.#slots.set(this.#seen[slot] as number, slot)
    image.takePairs(this.#overflow)
    this.#numbers.restore(image)
    this.#placeNumbers.clear()
  }

  get bytes(): number {
    const own = ownFacets.reduce((sum, name) => sum + this.own[name].column.byteLength, this.ids.byteLength)
    return (
      own +
      this.placeOf.byteLength +
      this.#masks.byteLength +
      this.#totals.byteLength +
      this.#counts.byteLength +
      this.#numbers.bytes
    )
  }
}

/** Maps ids to small numbers: an array while the ids are dense, otherwise a map. */
export class NumberMap {
  #dense: Uint32Array | undefined = new Uint32Array(1024)
  readonly #sparse = new Map<number, number>()
  #size = 0

  get(id: number): number | undefined {
    if (this.#dense === undefined) return this.#sparse.get(id)
    const number = id < this.#dense.length ? (this.#dense[id] ?? 0) : 0
    return number === 0 ? undefined : number - 1
  }

  /** Reserves memory for `count` ids up to `newestId`, which may arrive in any order. */
  reserve(newestId: number, count: number): void {
    if (this.#dense !== undefined && newestId >= this.#dense.length && newestId <= 4 * count + 1_000_000) {
      this.#dense = grown(this.#dense, newestId + 1)
    }
  }

  set(id: number, number: number): void {
    this.#size++
    if (this.#dense !== undefined && id >= this.#dense.length) {
      if (id > 4 * this.#size + 1_000_000) this.#spread()
      else this.#dense = grown(this.#dense, id + 1)
    }
    if (this.#dense === undefined) this.#sparse.set(id, number)
    else this.#dense[id] = number + 1
  }

  /** Replaces the number of every id. */
  renumber(toNumber: (number: number) => number): void {
    for (const [id, number] of this.#sparse) this.#sparse.set(id, toNumber(number))
    const dense = this.#dense
    if (dense === undefined) return
    for (let id = 0; id < dense.length; id++) {
      const number = dense[id] ?? 0
      if (number !== 0) dense[id] = toNumber(number - 1) + 1
    }
  }

  #spread(): void {
    this.#dense?.forEach((number, id) => {
      if (number !== 0) this.#sparse.set(id, number - 1)
    })
    this.#dense = undefined
  }

  save(image: ImageWriter): void {
    image.addNumbers([this.#size, this.#dense === undefined ? 0 : 1])
    image.add(this.#dense ?? new Uint32Array(0))
    image.addPairs(this.#sparse)
  }

  restore(image: ImageReader): void {
    const { size, isDense } = image.takeNamed(['size', 'isDense'])
    this.#size = size
    const dense = image.take(Uint32Array)
    this.#dense = isDense === 1 ? dense : undefined
    image.takePairs(this.#sparse)
  }

  get bytes(): number {
    return this.#dense?.byteLength ?? this.#sparse.size * 40
  }
}
