import { afterEach, beforeEach, expect, it } from 'vitest'
import { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import { onPath } from '../sample/fault.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { createWikiSource } from './platform.ts'
import { openSectionedBench } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

const PAGES = 400
let bench: Workbench
let wiki: SampleWiki
let tenant: WikiTenant
const closed = { users: [], groups: ['g'], anonymous: false, unlicensed: false }
const ids = Array.from({ length: PAGES }, (_, index) => String(1_000 + index))
const [root = '', child = ''] = ids

beforeEach(async () => {
  bench = openSectionedBench()
  tenant = new WikiTenant()
  for (const accountId of ['ann', 'bob', 'cem']) tenant.addUser({ accountId, displayName: accountId, email: '' })
  tenant.groups.set('g', { id: 'g', name: 'g', members: ['ann', 'bob'] })
  const { id: spaceId } = tenant.addSpace({ key: 'ONE', name: 'One' })
  for (const id of ids) {
    const above = id === root ? {} : { parentId: root }
    tenant.addPage({
      id,
      spaceId,
      title: id,
      body: '<p>word:secret <a href="https://files.example/plan.pdf">plan</a></p>',
      ...above,
    })
  }
  tenant.addComment(child, { body: '<p>word:comment</p>' })
  tenant.addAttachment(child, { title: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from('word:file') })
  tenant.access.set(spaceId, closed)
  wiki = await startSampleWiki({ tenant })
  await createWikiSource(bench, wiki.url)
})
afterEach(async () => {
  await bench.close()
  await wiki.close()
})

const shown = (id: string) => bench.run('get_asset', { id: `wiki:${tenant.cloudId}:page:${id}` })

/** How many assets of each kind have each audience. */
const counted = () =>
  bench.store.read((reader) =>
    Object.fromEntries(
      reader
        .prepare(
          `SELECT w.text || ' ' || a.audience, count(*) FROM asset a JOIN word w ON w.id = a.kind_id
           WHERE w.text <> 'wiki.space' GROUP BY 1 ORDER BY 1`,
        )
        .raw()
        .all() as [string, number][],
    ),
  )
const [PEOPLE, GROUP, ANONYMOUS, UNKNOWN] = [1, 2, 4, 0]
const expected = (code: number, file = code) => ({
  [`wiki.attachment ${code}`]: 1,
  [`wiki.comments ${code}`]: 1,
  [`wiki.linked_file ${file}`]: 1,
  [`wiki.page ${code}`]: PAGES,
})

it('is read by each scan without reading pages again, for all that belongs to a page, with its history', async () => {
  await bench.scan()
  expect(counted()).toEqual(expected(GROUP))
  tenant.restrictions.set(root, { users: ['ann'], groups: [] })
  wiki.requests.splice(0)
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', progress: { scanned: 0 } })
  expect(counted()).toEqual(expected(PEOPLE))
  const paths = wiki.requests.map(({ path }) => path)
  expect(paths.filter((path) => path.endsWith('/content/search'))).toHaveLength(PAGES / 80)
  expect(paths.filter((path) => path.includes('/membersByGroupId'))).toHaveLength(1)
  expect(paths.filter((path) => /permissions|rest\/api\/space|search\/user/.test(path))).toHaveLength(3)
  tenant.restrictions.clear()
  for (const [id, access] of tenant.access) tenant.access.set(id, { ...access, anonymous: true })
  await bench.scan()
  expect(counted()).toEqual(expected(ANONYMOUS))
  expect(await shown(child)).toMatchObject({
    audience: 'anonymous',
    audienceChanges: [
      { from: 'unknown', to: 'group', toSize: 2 },
      { from: 'group', fromSize: 2, to: 'people', toSize: 1 },
      { from: 'people', fromSize: 1, to: 'anonymous' },
    ],
  })
  await bench.scan()
  expect(await shown(child)).toMatchObject({ audienceChanges: { length: 3 } })
})

it('is unknown once it is refused, and a file that pages of two audiences link to has the wider one', async () => {
  tenant.restrictions.set(child, { users: ['ann'], groups: [] })
  await bench.scan()
  expect(counted()).toMatchObject({ 'wiki.page 1': 1, 'wiki.comments 1': 1, 'wiki.linked_file 2': 1 })
  wiki.faults.push({ match: onPath(/\/permissions$/), respond: { status: 404, body: {} } })
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  expect(counted()).toEqual(expected(UNKNOWN))
})

it('that changes during a scan is right after the next one', async () => {
  let asked = 0
  wiki.faults.push({
    match: onPath(/\/content\/search$/),
    respond: {
      rewrite: (reply) => {
        if (++asked === 2)
          for (const [id, access] of tenant.access) tenant.access.set(id, { ...access, anonymous: true })
        return reply
      },
    },
  })
  await bench.scan()
  await bench.scan()
  expect(counted()).toEqual(expected(ANONYMOUS))
})
