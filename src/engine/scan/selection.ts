import type { Engine } from '../columnar-index.ts'
import type { Rows } from '../index/rows.ts'
import type { RowTest } from './shape.ts'

/** Which findings are selected: those that all members admit. */
export interface Selection {
  /** By combination: 1 for those that are admitted; never for combination 0. */
  combos: Uint8Array
  /** By asset. */
  assets?: Uint8Array | undefined
  test?: RowTest | undefined
}

export const isSelected = ({ combos, assets, test }: Selection, rows: Rows, row: number): boolean =>
  combos[rows.combo[row] as number] === 1 &&
  (assets === undefined || assets[rows.asset[row] as number] === 1) &&
  (test === undefined || test(rows, row))

/** The number of selected findings. */
export function countSelected({ findings: { rows, late } }: Engine, selection: Selection): number {
  let count = 0
  for (const own of [rows, late]) {
    for (let row = 0; row < own.count; row++) if (isSelected(selection, own, row)) count++
  }
  return count
}

/** By asset: 1 for those that have a selected finding. */
export function markAssets({ findings: { rows, late }, assets }: Engine, selection: Selection): Uint8Array {
  const marks = new Uint8Array(assets.count)
  for (const own of [rows, late]) {
    for (let row = 0; row < own.count; row++) {
      const asset = own.asset[row] as number
      if (marks[asset] === 0 && isSelected(selection, own, row)) marks[asset] = 1
    }
  }
  return marks
}

/** An order of findings: by rank, then by key, then by first detection, each descending, then by id. */
export interface RowOrder {
  rankOf?: ((combo: number) => number) | undefined
  /** Absent: by first detection at once. */
  keyOf?: ((rows: Rows, row: number) => number) | undefined
  /** Descending otherwise. */
  isByAscendingId?: boolean
}

/** A place in an order. */
export interface RowPlace {
  rank: number
  key: number
  time: number
  id: number
}

export interface RowPage {
  order: RowOrder
  limit: number
  /** Only findings behind this place. */
  after?: RowPlace | undefined
  /** Only findings with ids up to this one. */
  upTo: number
}

/** The first places of those that are offered. */
class Top {
  readonly places: RowPlace[] = []
  readonly #page: RowPage
  readonly #limit: number

  constructor(page: RowPage, limit: number) {
    this.#page = page
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.places.length === this.#limit
  }

  #isBefore(a: RowPlace, b: RowPlace): boolean {
    if (a.key !== b.key) return a.key > b.key
    if (a.time !== b.time) return a.time > b.time
    return this.#page.order.isByAscendingId === true ? a.id < b.id : a.id > b.id
  }

  offer(place: RowPlace): void {
    const { places } = this
    const { after, upTo } = this.#page
    if (place.id > upTo || (after?.rank === place.rank && !this.#isBefore(after, place))) return
    const last = places.at(-1)
    if (this.isFull && last !== undefined && this.#isBefore(last, place)) return
    let [low, high] = [0, places.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBefore(places[middle] as RowPlace, place)) low = middle + 1
      else high = middle
    }
    places.splice(low, 0, place)
    if (places.length > this.#limit) places.pop()
  }
}

/** The ids of a page of the selected findings. Sorts no more than the page. */
export function listPage(engine: Engine, selection: Selection, page: RowPage): number[] {
  const { order, after, limit } = page
  const ids: number[] = []
  for (const [rank, combos] of listRanks(selection.combos, order)) {
    if (after !== undefined && rank > after.rank) continue
    ids.push(...listOfRank(engine, { ...selection, combos }, page, { rank, limit: limit - ids.length }))
    if (ids.length === limit) break
  }
  return ids
}

/** The admitted combinations by their ranks, the highest first. */
function listRanks(combos: Uint8Array, { rankOf }: RowOrder): [rank: number, combos: Uint8Array][] {
  if (rankOf === undefined) return [[0, combos]]
  const ranks = new Map<number, Uint8Array>()
  for (const [combo, admitted] of combos.entries()) {
    if (admitted === 0) continue
    const rank = rankOf(combo)
    const own = ranks.get(rank) ?? new Uint8Array(combos.length)
    own[combo] = 1
    ranks.set(rank, own)
  }
  return [...ranks].sort(([a], [b]) => b - a)
}

function listOfRank(
  { findings: { rows, late } }: Engine,
  selection: Selection,
  page: RowPage,
  { rank, limit }: { rank: number; limit: number },
): number[] {
  const { after, order } = page
  const { keyOf } = order
  const top = new Top(page, limit)
  const offer = (own: Rows, row: number, time: number) =>
    top.offer({ rank, key: keyOf?.(own, row) ?? 0, time, id: own.id[row] as number })
  for (let row = 0; row < late.count; row++) {
    if (isSelected(selection, late, row)) offer(late, row, late.timeOf(row))
  }
  // From the newest on, so that few places are replaced; an order by time ends with the last place.
  const isByTime = keyOf === undefined
  const end = isByTime && after?.rank === rank ? rows.firstAfter(after.time) : rows.count
  for (let row = end - 1; row >= 0; row--) {
    if (!isSelected(selection, rows, row)) continue
    const time = rows.timeOf(row)
    if (isByTime && top.isFull && time < (top.places.at(-1)?.time ?? time)) break
    offer(rows, row, time)
  }
  return top.places.map(({ id }) => id)
}
