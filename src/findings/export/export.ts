import { setImmediate as nextTurn } from 'node:timers/promises'
import { AppError, invalidInput } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { WriteContext } from '../../operation/context.ts'
import type { ExportFormat, Operation } from '../../operation/operation.ts'
import { streamItems } from '../../operation/stream.ts'
import { version } from '../../runtime/package-files.ts'
import type { Reader } from '../../store/store.ts'
import { type FindingSelection, findNewestId } from '../list.store.ts'
import { csvHeader, toCsv } from './csv.ts'
import {
  beforeAllPlaces,
  listExported,
  listMatchingOf,
  listPlaces,
  listSortedIds,
  type TimePlace,
} from './export.store.ts'
import { ExportedFinding } from './model.ts'
import { toNdjson } from './ndjson.ts'
import { SarifWriter } from './sarif.ts'

/** Range of row ids searched in one step, which takes a few milliseconds. */
const LOOKED_AT_ONCE = 2_000
/** On a server, which may read all assets in each step, and where the thread answers nothing else. */
const LOOKED_AT_ONCE_ON_SERVER = 100_000
/** With more findings read for each that is selected, they are no longer read in the order of time. */
const MAX_READ_FOR_ONE = 8
/** Findings read in one step. */
const READ_AT_ONCE = 250
/** Exports of a process that are under way at the same time: each has a connection of its own. */
const MAX_EXPORTS = 4
let underWay = 0

/** Ids of findings in the order of an export. */
class SortedIds {
  #ids = new Float64Array(LOOKED_AT_ONCE)
  #first = new Float64Array(LOOKED_AT_ONCE)
  /** Empty while all second values are 0, as they are for orders of one value. */
  #second = new Float64Array(0)
  #size = 0

  get size(): number {
    return this.#size
  }

  add(id: number, first: number, second: number): void {
    if (this.#size === this.#ids.length) {
      const grow = (from: Float64Array<ArrayBuffer>) => {
        const to = new Float64Array(Math.ceil(from.length * 1.5))
        to.set(from)
        return to
      }
      this.#ids = grow(this.#ids)
      this.#first = grow(this.#first)
      this.#second = grow(this.#second)
    }
    this.#ids[this.#size] = id
    this.#first[this.#size] = first
    if (second !== 0 && this.#second.length === 0) this.#second = new Float64Array(this.#ids.length)
    this.#second[this.#size] = second
    this.#size++
  }

  /** The ids in descending order of both values, then of the ids themselves. */
  sorted(): Float64Array {
    const [ids, first, second] = [this.#ids, this.#first, this.#second]
    const order = Uint32Array.from({ length: this.#size }, (_, at) => at)
    const compare = (values: Float64Array, a: number, b: number) => (values[b] ?? 0) - (values[a] ?? 0)
    order.sort((a, b) => compare(first, a, b) || compare(second, a, b) || compare(ids, a, b))
    return Float64Array.from(order, (at) => ids[at] ?? 0)
  }
}

function requireGoing(signal: AbortSignal): void {
  if (signal.aborted) throw new AppError('unavailable', 'The export was interrupted; ask for it again.')
}

/**
 * The ids of selected findings in the order of the export. In the order of time they come as they are found, as long as
 * many are; otherwise all are found first, because reading findings in the order of their ids is several times as fast.
 */
async function* listIds(
  reader: Reader,
  selection: FindingSelection,
  signal: AbortSignal,
): AsyncGenerator<Float64Array> {
  let given = 0
  if (selection.sort === 'newest' && reader.time === undefined) {
    let [found, places, instant, isDense] = [new SortedIds(), [] as TimePlace[], 0, true]
    do {
      places = listPlaces(reader, places.at(-1) ?? beforeAllPlaces, LOOKED_AT_ONCE)
      const ids = places.map(([, , , , id]) => id)
      const matching = listMatchingOf(reader, selection, ids)
      for (const [first, , , , id] of places) {
        if (!matching.has(id)) continue
        if (found.size >= READ_AT_ONCE && first !== instant) {
          given += found.size
          yield found.sorted()
          found = new SortedIds()
        }
        found.add(id, first, 0)
        instant = first
      }
      isDense = matching.size * MAX_READ_FOR_ONE >= places.length
      await nextTurn()
      requireGoing(signal)
    } while (isDense && places.length === LOOKED_AT_ONCE)
    if (isDense) {
      yield found.sorted()
      return
    }
  }
  yield (await listSorted(reader, selection, signal)).subarray(given)
}

async function listSorted(reader: Reader, selection: FindingSelection, signal: AbortSignal): Promise<Float64Array> {
  const found = new SortedIds()
  const newest = findNewestId(reader)
  const atOnce = reader.time === undefined ? LOOKED_AT_ONCE : LOOKED_AT_ONCE_ON_SERVER
  for (let after = 0; after < newest; after += atOnce) {
    const range = { after, upTo: after + atOnce }
    for (const { id, first, second } of listSortedIds(reader, selection, range)) found.add(id, first, second)
    await nextTurn()
    requireGoing(signal)
  }
  return found.sorted()
}

/** All selected findings in one snapshot, in batches; yields to the event loop between them. */
async function* readFindings(
  select: (reader: Reader) => FindingSelection,
  { store, signal, now }: WriteContext,
): AsyncGenerator<ExportedFinding[]> {
  if (underWay >= MAX_EXPORTS) {
    throw new AppError('rate_limited', `${MAX_EXPORTS} exports are under way; try again when one of them has ended.`, {
      retryAfterSeconds: 5,
    })
  }
  underWay++
  try {
    const { reader, close } = store.openSnapshot()
    try {
      const at = now()
      const labels = new Map<number, readonly SafeText[]>()
      for await (const ids of listIds(reader, select(reader), signal)) {
        for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
          yield listExported(reader, [...ids.subarray(from, from + READ_AT_ONCE)], at, labels)
          await nextTurn()
          requireGoing(signal)
        }
      }
    } finally {
      close()
    }
  } finally {
    underWay--
  }
}

/** @throws AppError `invalid_input` for members of the list that an export does not have */
function requireNoPage(raw: unknown): void {
  const pages = isObject(raw) ? ['limit', 'cursor'].filter((name) => raw[name] !== undefined) : []
  if (pages.length === 0) return
  throw invalidInput('An export is the whole list; leave limit and cursor out.', {
    issues: pages.map((path) => ({ path, message: 'must be left out: an export is the whole list.' })),
  })
}

/** The operation whose findings are exported, and what they are for its parsed input. */
interface Exported<Input> {
  operation: Operation
  select: (reader: Reader, input: Input, context: WriteContext) => FindingSelection
}

/** How the findings of a list are written as a file. */
const writers = {
  csv: () => ({ head: csvHeader, write: toCsv, end: () => '' }),
  ndjson: () => ({ head: '', write: toNdjson, end: () => '' }),
  sarif: () => new SarifWriter(version),
}

/**
 * All findings that an operation lists for some input, as the text of a file.
 * @throws AppError as the operation does, before the first text
 */
export async function* exportFindings<Input>(
  format: ExportFormat,
  { operation, select }: Exported<Input>,
  raw: unknown,
  context: WriteContext,
): AsyncGenerator<string> {
  requireNoPage(raw)
  const read = (input: Input) => readFindings((reader) => select(reader, input, context), context)
  const batches = streamItems(operation, ExportedFinding, read as never, raw, context)
  const first = await batches.next()
  const file = writers[format]()
  try {
    yield file.head
    for (let batch = first; !batch.done; batch = await batches.next()) {
      yield batch.value.map((finding) => file.write(finding)).join('')
    }
    yield file.end()
  } finally {
    await batches.return(undefined)
  }
}
