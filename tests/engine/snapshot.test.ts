import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Engine } from '../../src/engine/columnar-index.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { listSnapshots } from '../../src/engine/snapshot/snapshot.store.ts'
import { dropSnapshot, findSnapshot, saveSnapshot } from '../../src/engine/snapshot/snapshot.ts'
import { markLogReset } from '../../src/findings/log.store.ts'
import { backUp, restore } from '../../src/store/backup.ts'
import { Store } from '../../src/store/store.ts'
import { makeEstate, NOW, SeededRandom } from '../properties/query-data.ts'
import { type EstateSeed, openStore, plant } from '../query/estate.ts'
import { cases } from '../support/long.ts'
import { filesOf, sqliteOnly } from '../support/new-store.ts'
import { changeSomething } from './changing.ts'
import { countDifferences, countFindings, damageSnapshots, load, tiny } from './snapshots.ts'

function openEstate() {
  const store = openStore(() => NOW)
  plant(store, makeEstate(7, 250) as EstateSeed)
  countFindings(store)
  return { store, ...openHome(store) }
}

/** A data folder of a server. */
function openHome(store: Store) {
  const home = mkdtempSync(join(tmpdir(), 'assay-engine-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const build = () => store.read((reader) => buildEngine(reader, tiny))
  return {
    ...{ home, folder: join(home, 'engine'), build },
    save: () => saveSnapshot({ store, home }, build()),
    find: () => store.read((reader) => findSnapshot(reader, home)),
    load: () => load(store, home),
  }
}

test('damaged, foreign, older and newer snapshots never lead to a wrong answer', async () => {
  const { used, unused, differences } = await damageSnapshots(cases(18, 1_000), new SeededRandom(3))
  expect(differences).toBe(0)
  expect(used).toBeGreaterThan(0)
  expect(Object.values(unused).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(4)
}, 60_000)

test('a snapshot is used together with the writes after it, and stays usable as more are added', async () => {
  const { store, save, load } = openEstate()
  const random = new SeededRandom(8)
  save()
  for (let round = 0; round < 8; round++) {
    changeSomething(store, random, { startsOver: 0 })
    const engine = await load()
    expect(engine).toBeInstanceOf(Engine)
    expect(countDifferences(store, engine as Engine, 20, round)).toBe(0)
  }
})

test('only the owner can read a snapshot, and there is one file, which is named by a row of the database', () => {
  const { find, folder, save } = openEstate()
  mkdirSync(folder)
  writeFileSync(join(folder, 'old.draft'), '')
  writeFileSync(join(folder, 'new.draft'), '')
  utimesSync(join(folder, 'old.draft'), 1, 1)
  save()
  save()
  const mark = find()?.mark
  expect(readdirSync(folder).sort()).toEqual([`${mark}.columns`, 'new.draft'].sort())
  if (process.platform === 'win32') return
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, `${mark}.columns`)).mode & 0o777).toBe(0o600)
})

test('writing a snapshot that takes too long is abandoned, and the previous one is kept', async () => {
  const { store, home, build, save, find, folder, load } = openEstate()
  save()
  const before = find()
  let steps = 0
  const engine = build()
  for (const most of [0, 50, 150]) {
    steps = 0
    expect(saveSnapshot({ store, home }, engine, () => ++steps > most)).toBeUndefined()
  }
  expect(find()).toEqual(before)
  expect(readdirSync(folder)).toEqual([`${before?.mark}.columns`])
  expect(await load()).toBeInstanceOf(Engine)
})

test('a snapshot is not used when the change log does not continue from it', async () => {
  const { store, save, load } = openEstate()
  save()
  store.write((writer) => markLogReset(writer, NOW))
  expect(await load()).toBe('the change log does not lead on from it')
})

test('a snapshot is not used when its counts differ from those of the database', async () => {
  const { store, save, load } = openEstate()
  save()
  store.write((writer) => writer.prepare('UPDATE combo SET n = n + 1 WHERE id = 1').run())
  expect(await load()).toBe('its counts differ from those of the database')
})

test('a snapshot of another version of the program or of another schema is not used', async () => {
  const { store, save, load } = openEstate()
  save()
  expect(await load()).toBeInstanceOf(Engine)
  // The digest covers the header, so another one is not even read.
  store.write((writer) => writer.prepare("UPDATE engine_snapshot SET digest = 'another'").run())
  expect(await load()).toBe('its header is damaged')
})

test('a backup has no snapshot, and a restored database uses only snapshots of its own history', async (context) => {
  sqliteOnly('a server makes its own backups', context)
  const { store, home, save } = openEstate()
  const random = new SeededRandom(9)
  const [early, late] = ['early.db', 'late.db'].map((name) => join(dirname(filesOf(store).file), name)) as [
    string,
    string,
  ]
  backUp(filesOf(store).file, early)
  changeSomething(store, random, { startsOver: 0 })
  save()
  backUp(filesOf(store).file, late)
  store.close()
  for (const [backup, expected] of [
    [early, 'there is none'],
    [late, Engine],
  ] as const) {
    restore(backup, filesOf(store).file, NOW)
    const restored = Store.open(filesOf(store).file, { now: () => NOW })
    for (let round = 0; round < 5; round++) changeSomething(restored, random, { startsOver: 0 })
    const engine = await load(restored, home)
    if (typeof expected === 'string') expect(engine).toBe(expected)
    else {
      expect(engine).toBeInstanceOf(expected)
      expect(countDifferences(restored, engine as Engine, 50, 1)).toBe(0)
    }
    restored.close()
  }
  rmSync(filesOf(store).file)
  Store.open(filesOf(store).file, { now: () => NOW }).close()
})

test('a dropped snapshot leaves neither a row nor a file', async () => {
  const { store, home, folder, save, load } = openEstate()
  save()
  dropSnapshot(store, home)
  expect(store.read(listSnapshots)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  expect(await load()).toBe('there is none')
})

test('each data folder of a database on a server has a snapshot of its own, and a file has one', async () => {
  const { store, ...first } = openEstate()
  const second = openHome(store)
  first.save()
  changeSomething(store, new SeededRandom(5), { startsOver: 0 })
  second.save()
  second.save()
  const isServer = store.files === undefined
  expect(store.read(listSnapshots)).toHaveLength(isServer ? 2 : 1)
  for (const { load, expected } of [
    { ...first, expected: isServer },
    { ...second, expected: true },
  ]) {
    const engine = await load()
    expect(engine instanceof Engine).toBe(expected)
    if (engine instanceof Engine) expect(countDifferences(store, engine, 20, 2)).toBe(0)
  }
  dropSnapshot(store, second.home)
  expect(store.read(listSnapshots)).toHaveLength(isServer ? 1 : 0)
})
