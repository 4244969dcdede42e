import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Store } from '../../../src/store/store.ts'
import { type Filled, fillStore, NOW } from './estate.ts'
import { plantQuestions } from './questions.ts'

export interface Kept {
  /** A data folder of the program, with the files for rivals beside its database. */
  home: string
  store: Store
  filled: Filled
  /** Zero when it was filled by an earlier run. */
  fillSeconds: number
}

/** A store of so many findings in a folder of its own; what an earlier run filled there is used again. */
export function openKept(folder: string, rows: number): Kept {
  const home = join(folder, `rows-${rows}`)
  mkdirSync(home, { recursive: true })
  const file = join(home, 'filled.json')
  const store = Store.open(join(home, 'assay.db'), { now: () => NOW })
  if (existsSync(file)) return { home, store, filled: JSON.parse(readFileSync(file, 'utf8')) as Filled, fillSeconds: 0 }
  const started = performance.now()
  const filled = fillStore(store, rows, home)
  plantQuestions(store)
  writeFileSync(file, JSON.stringify(filled))
  return { home, store, filled, fillSeconds: (performance.now() - started) / 1000 }
}
