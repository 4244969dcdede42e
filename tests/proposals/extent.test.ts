import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { type Caller, expandScopes } from '../../src/operation/context.ts'
import { makeTemplate, type OpenEstate, openEstate, type Template } from '../catalogue/estate.ts'
import { plantFindings } from '../catalogue/planted-findings.ts'
import { caller, localPerson } from '../support/context.ts'

const MANY = 1_200
const filters = { findingTypes: ['PHONE'] }
const bot: Caller = {
  ...{ name: 'desk', id: 'https://id.example.com#desk', via: 'http', token: true },
  scopes: expandScopes(['propose']),
}

let template: Template
let estate: OpenEstate
beforeAll(async () => {
  template = await makeTemplate((context) => plantFindings(context, Array(MANY).fill('LOW')))
})
afterAll(() => template.remove())
beforeEach(() => {
  estate = openEstate(template)
  return () => estate.close()
})

const as = (who: Caller) => caller(operations, { ...estate.context, caller: who })
const input = { filters, status: 'IGNORED', reason: 'numbers of the test line' }

test('a proposal says how many findings all transactions of a triage change', async () => {
  const { proposal } = await as(bot)('propose_change', { operation: 'triage_findings', input })
  expect(proposal.summary).toMatch(new RegExp(`: ${MANY} findings to IGNORED$`))
  const { result } = await as(localPerson)('approve_proposal', { id: proposal.id })
  expect(result).toMatchObject({ changed: MANY })
})

test('a proposal of a triage whose first findings have the status already takes effect', async () => {
  const known = estate.context.read((reader) =>
    reader.prepare(`SELECT id FROM finding WHERE fp <= ${MANY} ORDER BY id LIMIT 600`).pluck().all(),
  )
  await as(localPerson)('triage_findings', { ...input, filters: undefined, ids: known.map(String) })
  const { proposal } = await as(bot)('propose_change', { operation: 'triage_findings', input })
  expect(proposal.summary).toMatch(new RegExp(`: ${MANY - 600} findings to IGNORED$`))
  const { result } = await as(localPerson)('approve_proposal', { id: proposal.id })
  expect(result).toMatchObject({ changed: MANY - 600 })
})
