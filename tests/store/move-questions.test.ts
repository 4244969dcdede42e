import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compareAnswers } from '../../src/commands/move-questions.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openStore, plant } from '../query/estate.ts'
import { thrownBy } from '../support/context.ts'

it('a copy that answers otherwise is refused with three questions, both answers, and a file for a report', () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-differs-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const open = (seed: number) => {
    const store = openStore(() => NOW)
    plant(store, makeEstate(seed, 200) as EstateSeed)
    return () => store.openSnapshot({ asRecorded: true })
  }
  const [former, same, other] = [open(9), open(9), open(10)]
  const asked = { former, questions: 40, budgetMs: Number.POSITIVE_INFINITY, now: NOW, home }
  expect(compareAnswers({ ...asked, copy: same })).toBe(40)
  const { code, message, facts } = thrownBy(() => compareAnswers({ ...asked, copy: other }))
  const [, count = '', file = ''] =
    /^The copy answers (\d+) of 40 questions differently.* (logs\/[\w-]+\.json) .*`assay move --cancel`/.exec(
      message,
    ) ?? []
  expect([code, facts.reason]).toEqual(['internal', 'copy_differs'])
  expect(facts.issues?.map(({ path }) => path.replace(/\d+/, 'N'))).toEqual(
    Array.from({ length: 3 }, () => ['question N, former', 'question N, copy']).flat(),
  )
  expect(facts.issues?.[0]?.message).toMatch(/^\{"entity":"finding".*\} gives \d+ groups?: /)
  if (process.platform !== 'win32') expect(statSync(join(home, file)).mode & 0o777).toBe(0o600)
  const report = JSON.parse(readFileSync(join(home, file), 'utf8'))
  expect(report).toMatchObject({
    assay: expect.stringMatching(/^\d/),
    databases: { former: expect.stringMatching(/^(?:SQLite|PostgreSQL) \d/) },
    differing: Number(count),
    definitions: { terms: {}, policies: expect.any(Array) },
  })
  expect(report.examples).toHaveLength(3)
  for (const { former, copy } of report.examples) expect(former).not.toEqual(copy)
})
