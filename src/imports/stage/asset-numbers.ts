import { ByteTable } from './byte-table.ts'

/** Maximum number of assets that are remembered for a whole file, a power of two, and of bytes that give them. */
interface AssetLimits {
  assets: number
  bytes: number
}
const limits: AssetLimits = { assets: 2 ** 18, bytes: 64 * 1024 * 1024 }
/** For one converter, whose file is small. */
const fewAssets: AssetLimits = { assets: 2 ** 14, bytes: 4 * 1024 * 1024 }
/** Numbers of each converter for further assets. */
const NUMBERS_OF_CONVERTER = 2 ** 28

/** Memory that all converters of a file share; the system provides it as it is filled. */
export interface AssetMemory {
  table: SharedArrayBuffer
  groups: SharedArrayBuffer
}

export const allocateAssets = ({ assets, bytes } = limits): AssetMemory => ({
  table: ByteTable.allocate(assets, bytes),
  groups: new SharedArrayBuffer(assets * Int32Array.BYTES_PER_ELEMENT),
})

interface OtherAsset {
  number: number
  part: number
  isDescribed: boolean
}

/**
 * Numbers the assets of a file by the JSON that gives them, and knows the part of each and whether a block describes it
 * for a group. Assets beyond the limits get a new number in each piece.
 */
export class AssetNumbers {
  readonly #table: ByteTable
  /**
   * The group for which each asset was described last, plus 1. Threads write it without an order: who reads an old value
   * describes the asset once more, which does no harm.
   */
  readonly #groups: Int32Array
  #others = new Map<string, OtherAsset>()
  #byNumber = new Map<number, OtherAsset>()
  #nextOther: number

  /** @param converter a number of its own among the converters of a file, less than 15 */
  constructor(memory = allocateAssets(fewAssets), converter = 0) {
    this.#table = new ByteTable(memory.table)
    this.#groups = new Int32Array(memory.groups)
    this.#nextOther = (converter + 1) * NUMBERS_OF_CONVERTER
  }

  /** The number of the asset whose JSON is between two offsets; -1 if it is not known. */
  find(bytes: Buffer, from: number, end: number): number {
    const number = this.#table.find(bytes, from, end)
    if (number >= 0 || this.#others.size === 0) return number
    return this.#others.get(bytes.toString('latin1', from, end))?.number ?? -1
  }

  add(bytes: Buffer, from: number, end: number, part: number): number {
    const number = this.#table.add(bytes, from, end, part)
    if (number >= 0) return number
    const other = { number: this.#nextOther++, part, isDescribed: false }
    this.#others.set(bytes.toString('latin1', from, end), other)
    this.#byNumber.set(other.number, other)
    return other.number
  }

  partOf(number: number): number {
    return number < NUMBERS_OF_CONVERTER ? this.#table.valueOf(number) : (this.#byNumber.get(number)?.part ?? 0)
  }

  /**
   * Whether the caller has to describe the asset for the group. Several converters may have to do so at once; their
   * descriptions are the same.
   */
  mustDescribe(number: number, group: number): boolean {
    const other = number < NUMBERS_OF_CONVERTER ? undefined : this.#byNumber.get(number)
    if (other !== undefined) {
      const { isDescribed } = other
      other.isDescribed = true
      return !isDescribed
    }
    if (this.#groups[number] === group + 1) return false
    this.#groups[number] = group + 1
    return true
  }

  /** Forgets the assets beyond the limits, which are described in one piece only. */
  endPiece(): void {
    this.#others = new Map()
    this.#byNumber = new Map()
  }
}
