import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '../../src/engine/columnar-index.ts'
import type { TimelineOptions } from '../../src/engine/index/timeline.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { loadSnapshot, saveSnapshot } from '../../src/engine/snapshot/snapshot.ts'
import { UnusableSnapshot } from '../../src/engine/snapshot/snapshot-file.ts'
import { runOnEngine } from '../../src/query/engine/engine-plan.ts'
import { openEngineSnapshot } from '../../src/query/engine/executor.ts'
import { areSame, createSeededRandom, makePlan } from '../../src/query/engine/verify.ts'
import { runPlan } from '../../src/query/sql/plan.store.ts'
import { Store } from '../../src/store/store.ts'
import { makeEstate, NOW, type SeededRandom } from '../properties/query-data.ts'
import { type EstateSeed, plant } from '../query/estate.ts'
import { filesOf, openNewStore } from '../support/new-store.ts'
import { changeSomething } from './changing.ts'

/** So few rows between marks that a small estate has many, and late rows are merged often. */
export const tiny: TimelineOptions = { markBits: 8, blockBits: 4, minLate: 40 }

/** What the ledger counts; estates are planted, and some changes made, without it. */
export function countFindings(store: Store): void {
  store.write((writer) =>
    writer.prepare('UPDATE combo SET n = (SELECT count(*) FROM finding WHERE combo_id = combo.id)').run(),
  )
}

/** The engine of the snapshot, or why there is none. */
export async function load(store: Store, home: string): Promise<Engine | string> {
  const snapshot = store.openSnapshot({ asRecorded: true })
  try {
    return (await loadSnapshot(snapshot.reader, home, tiny))?.engine ?? 'there is none'
  } catch (error) {
    if (error instanceof UnusableSnapshot) return error.message
    throw error
  } finally {
    snapshot.close()
  }
}

/** How many of some random questions an engine answers otherwise than SQL. */
export function countDifferences(store: Store, engine: Engine, questions: number, seed: number): number {
  return store.read((reader) => {
    const random = createSeededRandom(seed)
    const told = openEngineSnapshot(reader)
    let differences = 0
    for (let asked = 0; asked < questions; asked++) {
      const plan = makePlan(engine, random, NOW)
      const cells = runOnEngine(engine, plan, told)
      if (cells !== undefined && !areSame(cells, runPlan(reader, plan))) differences += 1
    }
    return differences
  })
}

interface Trouble {
  /** Snapshots that were used all the same, and those that were not, by reason. */
  used: number
  unused: Record<string, number>
  differences: number
}

/** Damages snapshots, their rows and their databases at random, and compares the engines of those that are still used. */
export async function damageSnapshots(count: number, random: SeededRandom): Promise<Trouble> {
  const trouble: Trouble = { used: 0, unused: {}, differences: 0 }
  const own = openHome(random)
  const other = openHome(random)
  try {
    for (let number = 0; number < count; number++) {
      const kind = random.pick(own.store.files === undefined ? damages : damagesOfFiles)
      await own.refill()
      await kind(own, other, random)
      const engine = await own.load()
      if (typeof engine === 'string') trouble.unused[engine] = (trouble.unused[engine] ?? 0) + 1
      else {
        trouble.used += 1
        trouble.differences += countDifferences(own.store, engine, 12, number)
      }
    }
  } finally {
    own.close()
    other.close()
  }
  return trouble
}

class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'assay-snapshot-'))
  readonly #random: SeededRandom
  store: Store

  constructor(random: SeededRandom) {
    this.#random = random
    this.store = openNewStore(join(this.folder, 'assay.db'), () => NOW)
    plant(this.store, makeEstate(random.below(1000), 250) as EstateSeed)
    countFindings(this.store)
    this.save()
  }

  save(): void {
    countFindings(this.store)
    const engine = this.store.read((reader) => buildEngine(reader, tiny))
    if (saveSnapshot({ store: this.store, home: this.folder }, engine) === undefined)
      throw new Error('the snapshot was not written')
  }

  /** Changes the database, and writes a snapshot of it if its own cannot be used. */
  async refill(): Promise<void> {
    this.change(1)
    if (typeof (await this.load()) === 'string') this.save()
  }

  load(): Promise<Engine | string> {
    return load(this.store, this.folder)
  }

  change(times: number): void {
    for (let left = times; left > 0; left--) changeSomething(this.store, this.#random, { startsOver: 0 })
  }

  get file(): string {
    const folder = join(this.folder, 'engine')
    const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.columns'))
    return join(folder, name)
  }

  damage(change: (bytes: Buffer) => Buffer): void {
    writeFileSync(this.file, change(readFileSync(this.file)))
  }

  /** Copies the database by hand, as it was when no process had it open. */
  copy(to: string): void {
    this.store.close()
    copyFileSync(filesOf(this.store).file, to)
    this.reopen()
  }

  /** Replaces the database by a copy of the same or another one. */
  replace(from: string): void {
    this.store.close()
    copyFileSync(from, filesOf(this.store).file)
    this.reopen()
  }

  reopen(): void {
    this.store = Store.open(filesOf(this.store).file, { now: () => NOW })
  }

  close(): void {
    this.store.close()
    rmSync(this.folder, { recursive: true, force: true })
  }
}

const openHome = (random: SeededRandom) => new Home(random)

type Damage = (own: Home, other: Home, random: SeededRandom) => void | Promise<void>

const flip: Damage = (own, _, random) =>
  own.damage((bytes) => {
    const at = random.chance(0.2) ? random.below(200) : random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    return bytes
  })
const cut: Damage = (own, _, random) => own.damage((bytes) => bytes.subarray(0, random.below(bytes.length)))
const swap: Damage = (own, _, random) =>
  own.damage((bytes) => {
    const size = 8 * (1 + random.below(200))
    const [from, to] = [random.below(bytes.length - size), random.below(bytes.length - size)]
    const [one, two] = [Buffer.from(bytes.subarray(from, from + size)), Buffer.from(bytes.subarray(to, to + size))]
    two.copy(bytes, from)
    one.copy(bytes, to)
    return bytes
  })
const zero: Damage = (own, _, random) =>
  own.damage((bytes) => {
    const from = random.below(bytes.length)
    return bytes.fill(0, from, Math.min(bytes.length, from + 1 + random.below(4096)))
  })
const takeOther: Damage = (own, other) => copyFileSync(other.file, own.file)
const takeOlder: Damage = (own) => {
  const older = readFileSync(own.file)
  own.change(2)
  own.save()
  writeFileSync(own.file, older)
}
const changeRow: Damage = (own, _, random) =>
  own.store.write((writer) => {
    const change = random.pick([
      'seq = seq + 1',
      'asset_seq = asset_seq - 1',
      "mark = '../../' || mark",
      "digest = replace(digest, '0', '1') || '0'",
    ])
    writer.prepare(`UPDATE engine_snapshot SET ${change}`).run()
  })
/** The database is copied, written on, given a snapshot, and copied back: then it is written past that snapshot. */
const copyBack: Damage = (own, _, random) => {
  const copy = `${filesOf(own.store).file}.copy`
  own.copy(copy)
  own.change(1 + random.below(3))
  if (random.chance(0.7)) own.save()
  const lost = readFileSync(own.file)
  const name = own.file
  own.replace(copy)
  own.change(1 + random.below(12))
  writeFileSync(name, lost)
}
/** The same with a backup of the program, restored into the folder while its snapshot stays. */
const exchange: Damage = async (own, other, random) => {
  const copy = `${filesOf(own.store).file}.copy`
  const mine = readFileSync(own.file)
  const name = own.file
  await other.refill()
  other.copy(copy)
  own.replace(copy)
  own.change(1 + random.below(12))
  writeFileSync(name, mine)
}
const nothing: Damage = (own, _, random) => own.change(random.below(5))

const damages: readonly Damage[] = [flip, flip, cut, swap, zero, takeOther, takeOlder, changeRow, nothing]
const damagesOfFiles: readonly Damage[] = [...damages, copyBack, exchange]
