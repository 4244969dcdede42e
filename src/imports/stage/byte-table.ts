/** Numbers of an entry in the table: its hash, its length in bytes, the offset of its words, and its value. */
const ENTRY = 4
const VALUE = 3
/** Numbers before the slots: the number of entries, and how many words of bytes are used. */
const [COUNT, USED, CAPACITY, WORDS, HEAD] = [0, 1, 2, 3, 4]
/** Slots for each entry that fits. */
const SLOTS_OF_ENTRY = 2
/** Maximum number of slots read for one key: a file could contain many keys with the same hash. */
const MAX_PROBES = 64
const WORD_BYTES = 4
const HASH_START = 0x811c9dc5 | 0
const HASH_FACTOR = 0x01000193

/**
 * Numbers byte strings from 0 on, each with a value, in memory that several threads may use at once. Entries are never
 * changed or removed.
 */
export class ByteTable {
  /** Longer keys are not added. */
  static readonly MAX_KEY_BYTES = 1_024
  readonly #head: Int32Array
  /** The number of an entry plus 1, or 0. */
  readonly #slots: Int32Array
  readonly #entries: Int32Array
  readonly #words: Int32Array
  /** The key that was looked up last, four bytes in a word. */
  readonly #key = new Int32Array(ByteTable.MAX_KEY_BYTES / WORD_BYTES)
  #hash = 0
  /** The bytes that were read last, as words. */
  #bytes: Uint8Array | undefined
  #view: DataView = new DataView(new ArrayBuffer(0))

  /** @param capacity maximum number of entries, a power of two; `bytes` of all keys */
  static allocate(capacity: number, bytes: number): SharedArrayBuffer {
    const words = Math.ceil(bytes / WORD_BYTES)
    const memory = new SharedArrayBuffer((HEAD + capacity * (SLOTS_OF_ENTRY + ENTRY) + words) * WORD_BYTES)
    const head = new Int32Array(memory, 0, HEAD)
    head[CAPACITY] = capacity
    head[WORDS] = words
    return memory
  }

  constructor(memory: SharedArrayBuffer) {
    this.#head = new Int32Array(memory, 0, HEAD)
    const [capacity = 0, words = 0] = [this.#head[CAPACITY], this.#head[WORDS]]
    let at = HEAD
    const next = (length: number) => {
      at += length
      return new Int32Array(memory, (at - length) * WORD_BYTES, length)
    }
    this.#slots = next(capacity * SLOTS_OF_ENTRY)
    this.#entries = next(capacity * ENTRY)
    this.#words = next(words)
  }

  /** The number of a key, or -1. */
  find(bytes: Uint8Array, from: number, end: number): number {
    if (end - from > ByteTable.MAX_KEY_BYTES) return -1
    this.#read(bytes, from, end)
    const slots = this.#slots
    const mask = slots.length - 1
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const number = Atomics.load(slots, (this.#hash + probe) & mask) - 1
      if (number < 0) return -1
      if (this.#isKey(number, end - from)) return number
    }
    return -1
  }

  /** Adds a key, unless another thread has just done so. Returns its number, or -1 if there is no place for it. */
  add(bytes: Uint8Array, from: number, end: number, value: number): number {
    const length = end - from
    if (length > ByteTable.MAX_KEY_BYTES) return -1
    const count = Math.ceil(length / WORD_BYTES)
    if (this.isFull || Atomics.load(this.#head, USED) + count > this.#words.length) return -1
    // Other threads may have taken the last place meanwhile; then a part of it stays unused.
    const start = Atomics.add(this.#head, USED, count)
    const added = Atomics.add(this.#head, COUNT, 1)
    if (start + count > this.#words.length || added >= this.#capacity) return -1
    this.#read(bytes, from, end)
    this.#words.set(this.#key.subarray(0, count), start)
    this.#entries.set([this.#hash, length, start, value], added * ENTRY)
    const slots = this.#slots
    const mask = slots.length - 1
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      // Other threads find the entry from here on.
      const number = Atomics.compareExchange(slots, (this.#hash + probe) & mask, 0, added + 1) - 1
      if (number < 0) return added
      if (this.#isKey(number, length)) return number
    }
    return -1
  }

  valueOf(number: number): number {
    return this.#entries[number * ENTRY + VALUE] ?? 0
  }

  /** Whether there is no place for another key. */
  get isFull(): boolean {
    return Atomics.load(this.#head, COUNT) >= this.#capacity
  }

  /** Removes all keys; only for a table that no other thread uses. */
  clear(): void {
    this.#head[COUNT] = 0
    this.#head[USED] = 0
    this.#slots.fill(0)
  }

  get #capacity(): number {
    return this.#head[CAPACITY] ?? 0
  }

  #isKey(number: number, length: number): boolean {
    const entries = this.#entries
    const at = number * ENTRY
    if (entries[at] !== this.#hash || entries[at + 1] !== length) return false
    const words = this.#words
    const key = this.#key
    const start = entries[at + 2] ?? 0
    for (let index = Math.ceil(length / WORD_BYTES) - 1; index >= 0; index--) {
      if (words[start + index] !== key[index]) return false
    }
    return true
  }

  /** Puts a key into `#key` and its hash into `#hash`. */
  #read(bytes: Uint8Array, from: number, end: number): void {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    }
    const key = this.#key
    const view = this.#view
    let hash = HASH_START
    let count = 0
    let at = from
    for (; at + 3 < end; at += WORD_BYTES) {
      const word = view.getInt32(at, true)
      key[count++] = word
      hash = Math.imul(hash ^ word, HASH_FACTOR)
      hash ^= hash >>> 15
    }
    if (at < end) {
      let word = 0
      for (let shift = 0; at < end; shift += 8) word |= (bytes[at++] ?? 0) << shift
      key[count] = word
      hash = Math.imul(hash ^ word, HASH_FACTOR)
    }
    this.#hash = hash ^ (hash >>> 13)
  }
}
