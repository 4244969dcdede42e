import { afterEach, beforeEach, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { FindingDetail } from '../../src/findings/model.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench, type Workbench } from '../scans/workbench.ts'
import { cases } from '../support/long.ts'
import { dumpTables, listFindings, streamOf } from './importing.ts'
import { DAY, Season, type SeasonScanner, seasonScanners } from './season.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: operations })
})
afterEach(() => bench.close())

const take = (text: string, { source, scope }: SeasonScanner, dryRun = false) =>
  importFindings(streamOf(text), { source, scope, complete: true, acceptVanishing: true, dryRun }, bench.context)

/** All findings by source and name, with their histories. */
async function readFindings() {
  const found = await listFindings(bench)
  const details = await Promise.all(found.map(({ id }) => bench.run<FindingDetail>('get_finding', { id })))
  return details
    .map(({ source, asset, status, firstDetectedAt, history }) => [
      ...[source, asset.name, status, firstDetectedAt],
      history.map(({ to, at }) => [to, at]),
    ])
    .sort()
}

const toExpected = ({ expected }: Season) =>
  [...expected]
    .flatMap(([source, findings]) =>
      [...findings].map(([name, { status, firstDetectedAt, history }]) => [
        ...[source, name, status, new Date(firstDetectedAt).toISOString()],
        history.map(({ to, at }) => [to, new Date(at).toISOString()]),
      ]),
    )
    .sort()

it.each(Array.from({ length: cases(1, 5) }, (_, seed) => seed))(
  'after each of 60 runs of three scanners, findings, histories and metrics are as in a model (%i)',
  async (seed) => {
    const season = new Season(seed)
    for (let run = 0; run < 60; run++) {
      const scanner = seasonScanners[run % 3] as SeasonScanner
      const next = season.next(scanner)
      bench.clock.now = next.importedAt
      const text = scanner.write(next)
      const before = dumpTables(bench)
      const { preview: _, ...dry } = await take(text, scanner, true)
      expect(dumpTables(bench)).toEqual(before)
      const done = await take(text, scanner)
      expect(dry).toEqual({ ...done, scanId: undefined, ...(run < 3 ? { source: { name: scanner.source } } : {}) })
      season.apply(scanner, next)
      await decideSometimes(season, scanner, next.importedAt + DAY / 24)
      if (run % cases(6, 1) === 0 || run === 59) expect(await readFindings()).toEqual(toExpected(season))
      for (const back of [0, 1.5, 7, 20]) {
        const to = bench.clock.now - back * DAY
        const { value } = await bench.run<{ value: number }>('query_metric', {
          metricSlug: 'open-findings',
          to: new Date(to).toISOString(),
        })
        expect([back, value]).toEqual([back, season.countOpen(to - 1)])
      }
    }
  },
)

/** A person finds out that a finding is none, or takes that back. */
async function decideSometimes(season: Season, scanner: SeasonScanner, at: number): Promise<void> {
  bench.clock.now = at
  const findings = [...(season.expected.get(scanner.source) ?? [])]
  const to = season.random() < 0.6 ? 'FALSE_POSITIVE' : 'OPEN'
  const from = to === 'OPEN' ? 'FALSE_POSITIVE' : 'OPEN'
  const candidates = findings.filter(([, { status }]) => status === from)
  const [name] = candidates[season.below(candidates.length)] ?? []
  if (name === undefined || season.random() < 0.5) return
  const found = (await listFindings(bench)).find(({ asset }) => asset.name === name)
  await bench.run('update_finding', { id: found?.id, status: to, reason: 'checked' })
  season.decide(scanner, name, { to, at })
}
