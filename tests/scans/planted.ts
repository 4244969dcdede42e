import { BiTenant } from '../../src/sample/bi/tenant.ts'
import { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import { editComment, editPage, replaceAttachment } from '../sample/edits.ts'

/** Tenants in which every text that a scan reads holds a word of its own, and one word stands in several parts. */
export interface Planted<Tenant> {
  tenant: Tenant
  /** Takes every word away, as edits do. */
  clean(): void
  /** Puts them back. */
  plant(): void
}

const withoutWords = (text: string) => text.replace(/word:\w+/g, 'nothing')

export function plantedBi(): Planted<BiTenant> {
  const tenant = new BiTenant({ now: () => Date.UTC(2026, 0, 1) })
  let count = 0
  const word = () => `word:b${++count}`
  const shared = 'word:shared'
  const guid = (letter: string, n: number) => `${letter.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`
  for (const [index, name] of ['Finance', 'People'].entries()) {
    const dataset = (n: number, push: boolean) => ({
      id: guid('d', index * 10 + n),
      name: `Set ${word()}`,
      description: `About ${word()} and ${shared}`,
      configuredBy: 'ana@shop.com',
      createdAt: Date.UTC(2025, 0, 1),
      refreshedAt: Date.UTC(2025, 0, 2),
      push,
      identityRequired: false,
      storageMode: 'Import',
      tables: [1, 2].map((t) => ({
        name: `Table${t} ${word()}`,
        description: word(),
        columns: [{ name: `Column ${word()}`, dataType: 'Int64', description: word() }],
        measures: [{ name: `Measure ${word()}`, expression: `SUM(${word()}) + ${shared}`, description: word() }],
        source: `let Source = ${word()} in Source`,
      })),
      expressions: [{ name: `Key ${word()}`, expression: `"${word()}"`, description: word() }],
      parameters: [{ name: `P ${word()}`, type: 'Text', currentValue: word(), isRequired: true }],
      dataSources: [
        {
          datasourceType: 'Sql',
          name: word(),
          connectionDetails: { server: `s ${word()}`, database: word() },
          connectionString: `Server=x;Password=${word()};${shared}`,
        },
        { datasourceType: 'Web', connectionDetails: { url: `https://x.example/?${word()}`, path: word() } },
      ],
      upstreamDatasets: [],
      upstreamDataflows: [{ id: guid('b', index), workspaceId: guid('a', index) }],
      roles: [{ name: `Role ${word()}`, table: 'Table', filter: `[R] = "${word()}"` }],
    })
    const report = (n: number) => ({
      id: guid('e', index * 10 + n),
      name: `Report ${word()}`,
      description: `${word()} ${shared}`,
      datasetId: guid('d', index * 10 + 1),
      reportType: 'PowerBIReport' as const,
      pages: [`Page ${word()}`, `Page ${word()} ${shared}`],
      createdBy: 'ben@shop.com',
      modifiedBy: 'ben@shop.com',
      createdAt: Date.UTC(2025, 0, 1),
      modifiedAt: Date.UTC(2025, 0, 2),
    })
    tenant.addWorkspace({
      id: guid('a', index + 1),
      name: `${name} ${word()}`,
      description: `${word()} ${shared}`,
      users: [{ email: 'ana@shop.com', displayName: 'Ana', right: 'Admin' }],
      datasets: [dataset(1, false), dataset(2, true)],
      reports: [report(1), report(2)],
      dashboards: [
        {
          id: guid('f', index * 10 + 1),
          displayName: `Board ${word()}`,
          owner: 'ana@shop.com',
          tiles: [1, 2].map((t) => ({ id: guid('c', index * 10 + t), title: `Tile ${word()} ${shared}` })),
        },
      ],
    })
  }
  const originals = new Map([...tenant.workspaces].map(([id, workspace]) => [id, structuredClone(workspace)]))
  const put = (change: (text: string) => string) => {
    for (const [id, original] of originals) tenant.workspaces.set(id, mapTexts(structuredClone(original), change))
  }
  return { tenant, clean: () => put(withoutWords), plant: () => put((text) => text) }
}

function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)])) as T
}

export function plantedWiki(): Planted<WikiTenant> {
  let at = Date.UTC(2026, 0, 1)
  const tenant = new WikiTenant({ now: () => ++at })
  let count = 0
  const word = () => `word:w${++count}`
  const shared = 'word:shared'
  tenant.addUser({ accountId: 'account-1', displayName: 'Ana', email: '' })
  const texts = new Map<string, string>()
  const files: { id: string; text: string; title: string }[] = []
  for (const key of ['DOCS', 'OPS']) {
    const space = tenant.addSpace({ key, name: `Space ${word()}`, description: `About ${word()}` })
    for (let n = 0; n < 3; n++) {
      const body = `<p>Text ${word()} ${shared} <a href="https://x.example/plan.pdf">plan</a></p>`
      const page = tenant.addPage({ spaceId: space.id, title: `Page ${key}${n} ${word()}`, body })
      texts.set(page.id, body)
      const comment = (more: object) => {
        const text = `<p>Says ${word()} ${shared}</p>`
        const added = tenant.addComment(page.id, { body: text, ...more })
        texts.set(added.id, text)
        return added.id
      }
      const root = comment({})
      comment({ parentId: comment({ parentId: root }) })
      const inline = comment({ kind: 'inline', selection: 'Text' })
      comment({ parentId: inline })
      const text = `${word()} ${shared}\n`
      const title = `notes ${word()}.txt`
      const file = tenant.addAttachment(page.id, { title, mediaType: 'text/plain', bytes: Buffer.from(text) })
      files.push({ id: file.id, text, title })
    }
  }
  const named = new Map([...tenant.spaces.values()].map((space) => [space.id, { ...space }]))
  const titles = new Map([...tenant.pages.values()].map(({ id, title }) => [id, title]))
  const put = (change: (text: string) => string) => {
    for (const [id, { name, description }] of named) {
      Object.assign(tenant.spaces.get(id) ?? {}, { name: change(name), description: change(description) })
    }
    for (const [id, text] of texts) {
      if (tenant.pages.has(id)) editPage(tenant, id, { body: change(text), title: change(titles.get(id) ?? '') })
      else editComment(tenant, id, change(text))
    }
    for (const { id, text, title } of files) {
      tenant.getAttachment(id).title = change(title)
      replaceAttachment(tenant, id, Buffer.from(change(text)))
    }
  }
  return { tenant, clean: () => put(withoutWords), plant: () => put((text) => text) }
}
