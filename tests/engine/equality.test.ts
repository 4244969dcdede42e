import { afterAll, expect, test } from 'vitest'
import { plantMetrics } from '../properties/plant-metrics.ts'
import { Dice, makeEstate, makeMetrics, makeQuestion, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openFolderStore, plant } from '../query/estate.ts'
import { answerBoth } from './asking.ts'
import { changeSomething } from './changing.ts'

const SEED = Number(process.env.ASSAY_ENGINE_SEED ?? 4)
const QUESTIONS = Number(process.env.ASSAY_ENGINE_QUESTIONS ?? 100)
/** So few rows between marks that a small estate has many, and late rows are merged often. */
const tiny = { markBits: 8, blockBits: 4, shareBits: 6, leastLate: 40 }
const closers: (() => void)[] = []
afterAll(() => {
  for (const close of closers) close()
})

test.each([SEED, SEED + 1])(
  `estate %i: the engine answers ${QUESTIONS} random questions as SQL does, between writes`,
  (seed) => {
    const metrics = makeMetrics(seed + 100)
    const { store, close } = openFolderStore(() => NOW)
    closers.push(close)
    plant(store, makeEstate(seed, 3000) as EstateSeed)
    plantMetrics(store, metrics)
    const dice = new Dice(seed)
    let served = 0
    for (let number = 0; number < QUESTIONS; number++) {
      if (dice.chance(0.5)) changeSomething(store, dice)
      const { question, isSeries } = makeQuestion(dice, metrics)
      const { sql, engine, served: plans } = answerBoth(store, question, isSeries, tiny)
      expect({ number, question, answer: engine }).toEqual({ number, question, answer: sql })
      served += plans
    }
    expect(served).toBeGreaterThan(QUESTIONS / 2)
  },
  300_000,
)
