import { describe, expect, it } from 'vitest'
import { crawlAll, guid, payloadFor, type Routes, refuse, startFakeBi } from './fake.ts'

const ws = guid('a', 1)

async function factsOf(routes: Routes, extraction: object = { extract_ownership: true }) {
  const fake = await startFakeBi({
    'GET /groups': [{ id: ws, name: 'Finance', type: 'Workspace' }],
    [`GET /groups/${ws}/reports`]: [],
    [`GET /groups/${ws}/dashboards`]: [],
    'POST /admin/workspaces/getInfo': refuse(403),
    ...routes,
  })
  const { assets } = await crawlAll(payloadFor(fake, { extraction }))
  return new Map(assets.map(({ name, facts = {} }) => [name, facts]))
}

describe('owners', () => {
  const datasets = [
    { id: guid('d', 1), name: 'Owned', configuredBy: 'ada@example.org' },
    { id: guid('d', 2), name: 'Blank', configuredBy: '' },
    { id: guid('d', 3), name: 'Silent' },
  ]
  const routes = { [`GET /groups/${ws}/datasets`]: datasets, [`GET /groups/${ws}/users`]: [] }

  it('count as missing only where the platform reports that there are none', async () => {
    const facts = await factsOf(routes)
    expect(facts.get('Blank')).toMatchObject({ ownerless: true })
    expect(facts.get('Owned')).not.toHaveProperty('ownerless')
    expect(facts.get('Silent')).not.toHaveProperty('ownerless')
    expect(facts.get('Finance')).toMatchObject({ admins: [] })
  })

  it('are unknown where they cannot be read or are not requested', async () => {
    const refused = await factsOf({ ...routes, [`GET /groups/${ws}/users`]: refuse(403) })
    expect(refused.get('Finance')).not.toHaveProperty('admins')
    const unasked = await factsOf(routes, { extract_ownership: false })
    expect(unasked.get('Blank')).not.toHaveProperty('ownerless')
    expect(unasked.get('Finance')).not.toHaveProperty('admins')
  })
})
