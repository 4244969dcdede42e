import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { MetricAnswer } from '../../src/query/model.ts'
import { caller, NOON, openContext } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'
import { plant } from './estate.ts'

function openEstate() {
  const context = openContext()
  const asset = { key: 'page', source: 'wiki', kind: 'wiki.page', container: 'Space' }
  const finding = { asset: 'page', firstDetectedAt: NOON - 1000 }
  plant(context.store, {
    sources: [{ name: 'wiki', type: 'WIKI' }],
    assets: [asset],
    findings: [
      ...Array.from({ length: 7 }, () => finding),
      ...Array.from({ length: 4 }, () => ({ ...finding, presence: 'history' as const })),
      { ...finding, presence: 'trash' },
      { ...finding, presence: 'history', status: 'RESOLVED' },
    ],
  })
  const ask = caller(operations, context)
  const codesOf = async (question: object) => {
    const { warnings } = (await ask('query_metric', { metricSlug: 'open-findings', ...question })) as MetricAnswer
    return warnings.filter(({ code }) => code !== 'not_scanned')
  }
  return { ...context, ask, codesOf }
}

describe('an answer about open findings', () => {
  it('says how many are only in earlier versions or in the trash', async () => {
    const { codesOf } = openEstate()
    const said = { code: 'presence', message: '12 open, 4 of them only in earlier versions, 1 of them in the trash.' }
    expect(await codesOf({})).toEqual([said])
    expect(await codesOf({ dimensions: ['severity'] })).toEqual([said])
    expect(await codesOf({ filters: { presences: ['history'] } })).toEqual([])
    expect(await codesOf({ metricSlug: 'total-findings' })).toEqual([])
  })

  it('is filtered and broken down by presence', async () => {
    const { ask } = openEstate()
    const answer = (await ask('query_metric', {
      metricSlug: 'open-findings',
      dimensions: ['presence'],
    })) as MetricAnswer
    expect(answer.breakdown.map(({ dimensionValue, value }) => [dimensionValue, value])).toEqual([
      ['current', 7],
      ['history', 4],
      ['trash', 1],
    ])
  })

  it('says what could not be read, and which sources do not read earlier versions', async () => {
    const { store, codesOf } = openEstate()
    const coverage = safe(JSON.stringify({ kinds: [], refused: [{ what: 'trash', reason: 'refused' }] }))
    store.write((writer) => {
      writer.prepare('UPDATE source SET history = ?, coverage = ?').run(safe('off'), coverage)
      writer.prepare('UPDATE combo SET presence = 4 WHERE presence = ?').run(3)
    })
    expect(await codesOf({})).toMatchObject([
      { code: 'presence' },
      { code: 'not_read' },
      { code: 'history_not_read' },
      { code: 'coverage' },
    ])
  })
})
