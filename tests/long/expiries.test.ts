import { expect, it } from 'vitest'
import { runCourse } from '../findings/expiry-course.ts'

const COURSES = Number(process.env.ASSAY_EXPIRY_COURSES ?? 160)
const SEED = Number(process.env.ASSAY_EXPIRY_SEED ?? 1000)

it('2,000 histories with decisions that end have the states in every answer that a model predicts', async () => {
  const total = { histories: 0, ends: 0, servedByEngine: 0 }
  for (let course = 0; course < COURSES; course++) {
    const { differences, ...counts } = await runCourse(SEED + course, 13, 16)
    expect(differences).toEqual([])
    total.histories += counts.histories
    total.ends += counts.ends
    total.servedByEngine += counts.servedByEngine
  }
  process.stdout.write(`${JSON.stringify(total)}\n`)
  expect(total.histories).toBeGreaterThanOrEqual(12 * COURSES)
  expect(total.ends).toBeGreaterThan(4 * COURSES)
}, 3_600_000)
