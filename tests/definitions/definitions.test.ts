import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { listAuditRows } from '../../src/audit/audit.store.ts'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { createWebhookSender } from '../../src/connectors/webhooks.ts'
import { type ApplyOptions, applyFolder } from '../../src/definitions/apply.ts'
import { exportDefinitions, makeExportFolder } from '../../src/definitions/export.ts'
import { readFolder } from '../../src/definitions/folder.ts'
import { kindFacts, kinds } from '../../src/definitions/model.ts'
import { loadDefinitions } from '../../src/definitions/normal.ts'
import { listPolicies } from '../../src/findings/sla.store.ts'
import { getTerm } from '../../src/glossary/names.ts'
import { updateTerm } from '../../src/glossary/terms.ts'
import { certifyMetric } from '../../src/metrics/governance.ts'
import { findMetricBySlug } from '../../src/metrics/metrics.store.ts'
import type { Store } from '../../src/store/store.ts'
import { plainVault, thrownBy } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { openNewStore } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'
import { definitionSets, type GeneratedSet } from './generated.ts'

const AT = Date.UTC(2026, 5, 15, 12)
const author = { name: 'ann', via: 'cli', at: AT } as const
const receivers = {
  vault: plainVault,
  sender: createWebhookSender({ hosts: [] }),
}
const plain: ApplyOptions = { dryRun: false, prune: false, force: false }

let root: string
let count = 0
let stores: Store[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-definitions-'))
  stores = []
})
afterEach(() => {
  for (const store of stores) store.close()
  rmSync(root, { recursive: true, force: true })
})

function openStore(): Store {
  const store = openNewStore(join(root, `${count++}.db`), () => AT)
  stores.push(store)
  store.write((writer) => writer.prepare("INSERT INTO install (name, value) VALUES ('id', ?)").run(safe(`db-${count}`)))
  return store
}

const newFolder = () => join(root, `folder-${count++}`)
const all = (store: Store) => Object.fromEntries(store.read(loadDefinitions))
const apply = (store: Store, folder: string, options: Partial<ApplyOptions> = {}) =>
  applyFolder(store, readFolder(folder), { ...plain, ...options }, author, receivers)
function exportAll(store: Store, folder: string, options = { prune: false, force: false }) {
  makeExportFolder(folder)
  return exportDefinitions(store, readFolder(folder), options)
}

/** Runs on one database again and again: whatever a run did is undone. */
function fresh(store: Store, work: () => void): void {
  const empty = newFolder()
  for (const kind of kinds) mkdirSync(join(empty, kindFacts[kind].folder), { recursive: true })
  apply(store, empty, { prune: true })
  work()
}

function writeSet(
  folder: string,
  { terms, metrics, dashboards }: GeneratedSet,
  order: (names: object[]) => object[],
): void {
  for (const [name, objects] of [
    ['glossary', terms],
    ['metrics', metrics],
    ['dashboards', dashboards],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true })
    for (const [index, object] of order([...objects]).entries()) {
      writeFileSync(join(folder, name, `${String(index).padStart(3, '0')}.yaml`), stringify(object))
    }
  }
}

it('a definition that is named as a device of Windows has another file name', () => {
  const [store, written, exported] = [openStore(), newFolder(), newFolder()]
  mkdirSync(join(written, 'glossary'), { recursive: true })
  const slugs = ['aux', 'com1', 'console']
  for (const slug of slugs) {
    const text = stringify({ slug, displayName: slug, filterMapping: { severities: ['HIGH'] } })
    writeFileSync(join(written, 'glossary', `${slug}.yaml`), text)
  }
  apply(store, written)
  const { created } = exportAll(store, exported)
  const names = created.flatMap((path) => /^glossary\/((?:aux|com1|console).*)\.yaml$/.exec(path)?.[1] ?? [])
  expect(names).toEqual([expect.stringMatching(/^aux-\w+$/), expect.stringMatching(/^com1-\w+$/), 'console'])
  expect(apply(store, exported).changes).toEqual([])
})

describe('any set of definitions', { timeout: 120_000 }, () => {
  const few = { numRuns: isLong ? 60 : 1 }

  it('is the same after export and apply on an empty database, and applying it again changes nothing', () => {
    const [one, two] = [openStore(), openStore()]
    fc.assert(
      fc.property(definitionSets, (set) => {
        const [written, exported] = [newFolder(), newFolder()]
        writeSet(written, set, (objects) => objects)
        fresh(one, () => apply(one, written))
        fresh(two, () => {
          exportAll(one, exported)
          expect(apply(one, exported).changes).toEqual([])
          apply(two, exported)
          expect(all(two)).toEqual(all(one))
          expect(apply(two, exported).changes).toEqual([])
          expect(exportAll(two, exported)).toMatchObject({ created: [], updated: [], left: [] })
        })
      }),
      few,
    )
  })

  it('gives the same result regardless of the order of its files and of earlier definitions', () => {
    const [one, two] = [openStore(), openStore()]
    fc.assert(
      fc.property(definitionSets, definitionSets, fc.nat(), (set, before, turn) => {
        const [ahead, folder, turned] = [newFolder(), newFolder(), newFolder()]
        writeSet(ahead, before, (objects) => objects)
        writeSet(folder, set, (objects) => objects)
        writeSet(turned, set, (objects) => [...objects.slice(turn % 5), ...objects.slice(0, turn % 5)].reverse())
        fresh(one, () => apply(one, folder))
        fresh(two, () => {
          apply(two, ahead)
          apply(two, turned, { prune: true })
        })
        expect(all(two)).toEqual(all(one))
      }),
      few,
    )
  })

  it('is not applied if one of them is invalid, or in a dry run', () => {
    const store = openStore()
    fc.assert(
      fc.property(definitionSets, (set) => {
        const folder = newFolder()
        writeSet(folder, set, (objects) => objects)
        const before = [all(store), store.read((reader) => verifyAudit(reader))]
        apply(store, folder, { dryRun: true, prune: set.dashboards.length > 0 })
        writeFileSync(
          join(folder, 'metrics', 'zz.yaml'),
          stringify({
            slug: 'zz',
            displayName: 'Z',
            type: 'TREND',
            definition: { baseMetricSlug: 'none', currentWindow: '1d', compareWindow: '1d' },
          }),
        )
        expect(thrownBy(() => apply(store, folder)).facts.reason).toBe('invalid_definitions')
        expect([all(store), store.read((reader) => verifyAudit(reader))]).toEqual(before)
      }),
      few,
    )
  })
})

describe('apply', () => {
  let store: Store
  let folder: string
  const edit = (path: string, change: (text: string) => string) =>
    writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')))
  beforeEach(() => {
    store = openStore()
    folder = newFolder()
    exportAll(store, folder)
  })

  it('removes the certification of metrics whose meaning changes, marks drifted ones, and reports both', () => {
    edit('metrics/open-findings.yaml', (text) => text.replace('OPEN', 'IGNORED'))
    edit('metrics/new-findings.yaml', (text) => text.replace('How many findings', 'The number of findings that'))
    edit('glossary/critical-findings.yaml', (text) => text.replace('- CRITICAL', '- CRITICAL\n    - HIGH'))
    const { changes, trust } = apply(store, folder)
    expect(changes.map(({ name }) => name)).toEqual(['critical-findings', 'new-findings', 'open-findings'])
    expect(trust).toEqual([
      { metric: 'critical-open-findings', before: 'certified', after: 'drifted' },
      { metric: 'open-findings', before: 'certified', after: 'draft' },
    ])
    expect(store.read((reader) => findMetricBySlug(reader, 'open-findings'))).toMatchObject({
      version: 2,
      status: 'DRAFT',
      certifiedBy: null,
    })
    expect(store.read((reader) => findMetricBySlug(reader, 'new-findings'))).toMatchObject({
      version: 1,
      status: 'ACTIVE',
    })
  })

  it('adds an entry to the audit trail for each change', () => {
    edit('metrics/open-findings.yaml', (text) => text.replace('Open findings', 'Findings that are open'))
    apply(store, folder)
    const [entry] = store.read((reader) => listAuditRows(reader, { limit: 1 }))
    expect(entry).toMatchObject({ actor: 'ann', via: 'cli', action: 'update', kind: 'metric', name: 'open-findings' })
  })

  it('reports changed metric values before and after', () => {
    const stored = store.write((writer) => {
      writer
        .prepare(
          "INSERT INTO source (uid, name, type, config, created_at, updated_at) VALUES ('s', 'S', 'IMPORT', '{}', 0, 0)",
        )
        .run()
      for (const text of ['kind', 'PII', 'EMAIL']) writer.prepare('INSERT INTO word (text) VALUES (?)').run(safe(text))
      const word = (text: string) =>
        (writer.prepare('SELECT id FROM word WHERE text = ?').get(text) as { id: number }).id
      writer
        .prepare(
          "INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, status, first_seen_at, last_seen_at) VALUES ('a', 1, 'a', ?, 0, 'A', 'ACTIVE', 0, 0)",
        )
        .run(word('kind'))
      writer
        .prepare(
          'INSERT INTO combo (source_id, detector_id, type_id, category_id, custom_key_id, severity, status, n) VALUES (1, ?, ?, 0, 0, 4, 0, 3)',
        )
        .run(word('PII'), word('EMAIL'))
      for (let fp = 1; fp <= 3; fp++)
        writer
          .prepare(
            'INSERT INTO finding (asset_id, fp, id, combo_id, first_detected_at, conf_q) VALUES (1, ?, ?, 1, 0, 9000)',
          )
          .run(fp, fp)
      return 3
    })
    edit('metrics/total-findings.yaml', (text) => `${text}  filters:\n    severities: [LOW]\n`)
    const { moves } = apply(store, folder, { dryRun: true })
    expect(moves).toEqual([
      {
        metric: 'total-findings',
        before: expect.objectContaining({ value: stored }),
        after: expect.objectContaining({ value: 0 }),
      },
    ])
    expect(apply(store, folder).moves).toEqual(moves)
  })

  it('can reverse a dependency, which no sequence of single changes can', () => {
    const metric = (slug: string, input?: string) =>
      stringify({
        slug,
        displayName: slug,
        ...(input === undefined
          ? { type: 'SIMPLE', definition: { aggregation: 'COUNT', entity: 'asset' } }
          : { type: 'DERIVED', definition: { formula: `${input} * 2`, inputs: [input] } }),
      })
    const write = (slug: string, input?: string) =>
      writeFileSync(join(folder, 'metrics', `${slug}.yaml`), metric(slug, input))
    write('a')
    write('b', 'a')
    apply(store, folder)
    write('a', 'b')
    write('b')
    expect(apply(store, folder).changes.map(({ name }) => name)).toEqual(['a', 'b'])
    write('b', 'a')
    expect(thrownBy(() => apply(store, folder)).facts.issues?.map(({ message }) => message)).toEqual([
      expect.stringContaining('cycle'),
      expect.stringContaining('cycle'),
    ])
  })

  it('deletes only with prune, and only what no remaining definition uses', () => {
    for (const name of ['weekly-finding-trend', 'new-findings']) rmSync(join(folder, 'metrics', `${name}.yaml`))
    expect(apply(store, folder).changes).toEqual([])
    expect(thrownBy(() => apply(store, folder, { prune: true })).facts.issues).toHaveLength(2)
    edit('dashboards/discovery.yaml', (text) =>
      text.replace(/ +- metricSlug: (weekly-finding-trend|new-findings)\n/g, ''),
    )
    expect(apply(store, folder, { prune: true }).changes.map(({ action, name }) => [action, name])).toEqual([
      ['delete', 'new-findings'],
      ['delete', 'weekly-finding-trend'],
      ['update', 'discovery'],
    ])
    expect(apply(store, folder, { prune: true }).changes).toEqual([])
  })

  it('does not prune a kind that has no folder', () => {
    rmSync(join(folder, 'glossary'), { recursive: true })
    expect(apply(store, folder, { prune: true }).changes).toEqual([])
  })

  it('refuses to overwrite later changes in the database, listing all of them, unless forced', () => {
    const other = newFolder()
    exportAll(store, other)
    for (const name of ['open-findings', 'new-findings']) {
      writeFileSync(
        join(other, 'metrics', `${name}.yaml`),
        readFileSync(join(other, 'metrics', `${name}.yaml`), 'utf8').replace('ow many', 'ow very many'),
      )
    }
    apply(store, other)
    edit('metrics/new-findings.yaml', (text) => text.replace('How', 'Just how'))
    const error = thrownBy(() => apply(store, folder))
    expect([error.code, error.facts.reason]).toEqual(['conflict', 'definitions_changed'])
    expect(error.facts.issues?.map(({ path }) => path)).toEqual(['metric new-findings', 'metric open-findings'])
    expect(thrownBy(() => exportAll(store, folder)).facts.issues?.map(({ path }) => path)).toEqual([
      'metrics/new-findings.yaml',
    ])
    expect(apply(store, folder, { force: true }).changes).toHaveLength(2)
    expect(apply(store, folder).changes).toEqual([])
  })

  it('does not prune definitions that the folder never contained', () => {
    const other = newFolder()
    exportAll(store, other)
    writeFileSync(
      join(other, 'glossary', 'made-elsewhere.yaml'),
      stringify({ slug: 'made-elsewhere', displayName: 'Made elsewhere', filterMapping: { severities: ['LOW'] } }),
    )
    writeFileSync(
      join(other, 'glossary', 'data-quality.yaml'),
      readFileSync(join(other, 'glossary', 'data-quality.yaml'), 'utf8').replace('Content that', 'Any content that'),
    )
    apply(store, other)
    rmSync(join(folder, 'glossary', 'data-quality.yaml'))
    edit('metrics/new-findings.yaml', (text) => text.replace('How', 'Just how'))
    expect(apply(store, folder).changes).toHaveLength(1)
    const error = thrownBy(() => apply(store, folder, { prune: true }))
    expect(error.facts.reason).toBe('definitions_changed')
    expect(error.facts.issues?.map(({ path }) => path)).toEqual(['term data-quality', 'term made-elsewhere'])
    expect(apply(store, folder, { prune: true, force: true }).changes).toHaveLength(2)
  })

  it('applies the files of a fresh clone, which has no sync state', () => {
    rmSync(join(folder, '.assay'), { recursive: true })
    store.write((writer) => certifyMetric(writer, findMetricBySlug(writer, 'open-findings') as never, 'bo', author))
    edit('metrics/open-findings.yaml', (text) => text.replace('Open', 'Still open'))
    expect(apply(store, folder).changes).toHaveLength(1)
    expect(existsSync(join(folder, '.assay'))).toBe(false)
  })

  it('applies custom detectors, whose examples must match as specified', () => {
    const file = join(folder, 'detectors', 'codename.yaml')
    const definition = {
      rule: { any: [{ type: 'KEYWORDS', keywords: ['bluebird'] }] },
      examples: { match: ['project bluebird'], noMatch: ['a robin'] },
    }
    writeFileSync(file, stringify({ key: 'codename', displayName: 'Codename', definition }))
    expect(apply(store, folder).changes).toMatchObject([{ action: 'create', kind: 'custom_detector' }])
    expect(apply(store, folder).changes).toEqual([])
    appendFileSync(file, '')
    writeFileSync(file, readFileSync(file, 'utf8').replace('a robin', 'a bluebird'))
    expect(thrownBy(() => apply(store, folder)).facts.issues?.[0]?.path).toMatch(
      /^detectors\/codename\.yaml:\d+:\d+ definition\.examples\.noMatch\[0\]/,
    )
  })
})

describe('export', () => {
  it('keeps names, comments and order of existing files, and does not rewrite unchanged ones', () => {
    const store = openStore()
    const folder = newFolder()
    exportAll(store, folder)
    const file = join(folder, 'metrics', 'open-findings.yaml')
    const mine = `# ours\nslug: open-findings # never changes\n${readFileSync(file, 'utf8')
      .replace(/^#.*\n/, '')
      .replace('slug: open-findings\n', '')
      .replace('unit: findings', 'unit: findings # plural')}`
    renameSync(file, join(folder, 'metrics', 'mine.yml'))
    writeFileSync(join(folder, 'metrics', 'mine.yml'), mine)
    expect(exportAll(store, folder)).toMatchObject({ created: [], updated: [], unchanged: 24 })
    expect(readFileSync(join(folder, 'metrics', 'mine.yml'), 'utf8')).toBe(mine)
    store.write((writer) =>
      writer.prepare("UPDATE metric SET display_name = 'Open now', synonyms = '[]' WHERE slug = 'open-findings'").run(),
    )
    expect(exportAll(store, folder)).toMatchObject({ updated: ['metrics/mine.yml'] })
    const text = readFileSync(join(folder, 'metrics', 'mine.yml'), 'utf8')
    expect(text).toContain('# ours\nslug: open-findings # never changes\ndisplayName: Open now\n')
    expect(text).toContain('unit: findings # plural')
    expect(text).not.toContain('synonyms')
  })

  it('names the schema that editors need, and writes it beside the files', () => {
    const folder = newFolder()
    exportAll(openStore(), folder)
    for (const kind of kinds) {
      const { folder: name, schemaFile } = kindFacts[kind]
      expect(existsSync(join(folder, 'schemas', schemaFile))).toBe(true)
      for (const file of readdirSync(join(folder, name))) {
        expect(readFileSync(join(folder, name, file), 'utf8')).toMatch(
          `# yaml-language-server: $schema=../schemas/${schemaFile}\n`,
        )
      }
    }
  })

  it('lists files without a definition in the database, and removes them only with prune', () => {
    const [store, folder] = [openStore(), newFolder()]
    exportAll(store, folder)
    writeFileSync(
      join(folder, 'glossary', 'mine.yaml'),
      stringify({ slug: 'mine', displayName: 'M', filterMapping: { severities: ['LOW'] } }),
    )
    expect(exportAll(store, folder).left).toEqual(['glossary/mine.yaml'])
    expect(exportAll(store, folder, { prune: true, force: false }).removed).toEqual(['glossary/mine.yaml'])
    expect(existsSync(join(folder, 'glossary', 'mine.yaml'))).toBe(false)
  })
})

describe('policies of due dates', () => {
  const policyFile = (folder: string, name: string, text: string) => {
    mkdirSync(join(folder, 'sla'), { recursive: true })
    writeFileSync(join(folder, 'sla', name), text)
  }
  const listed = (store: Store) =>
    store.read(listPolicies).map(({ termSlug, days }) => ({ glossaryTermSlug: termSlug, days }))

  it('are created, changed, exported, drifted by and removed like other definitions', () => {
    const store = openStore()
    const folder = newFolder()
    policyFile(folder, 'all.yaml', 'days:\n  HIGH: 30\n  CRITICAL: 7\n')
    policyFile(folder, 'pii.yaml', 'glossaryTermSlug: pii-exposure\ndays:\n  HIGH: 3\n')
    expect(apply(store, folder).changes).toMatchObject([
      { action: 'create', kind: 'sla', name: '_all' },
      { action: 'create', kind: 'sla', name: 'pii-exposure' },
    ])
    expect(apply(store, folder).changes).toEqual([])
    expect(listed(store)).toEqual([
      { glossaryTermSlug: null, days: { CRITICAL: 7, HIGH: 30 } },
      { glossaryTermSlug: 'pii-exposure', days: { HIGH: 3 } },
    ])
    store.write((writer) => {
      const metric = findMetricBySlug(writer, 'overdue-findings')
      if (metric !== undefined) certifyMetric(writer, metric, 'Ada', author)
    })
    policyFile(folder, 'all.yaml', 'days:\n  CRITICAL: 5\n')
    expect(apply(store, folder, { dryRun: true })).toMatchObject({
      changes: [{ action: 'update', kind: 'sla', name: '_all' }],
      trust: [{ metric: 'overdue-findings', before: 'certified', after: 'drifted' }],
    })
    apply(store, folder)
    const copy = newFolder()
    exportAll(store, copy)
    expect(readFileSync(join(copy, 'sla', 'all.yaml'), 'utf8')).toBe(
      '# yaml-language-server: $schema=../schemas/sla-policy.schema.json\ndays:\n  CRITICAL: 5\n',
    )
    expect(existsSync(join(copy, 'schemas', 'sla-policy.schema.json'))).toBe(true)
    rmSync(join(folder, 'sla', 'pii.yaml'))
    expect(apply(store, folder, { prune: true }).changes).toMatchObject([
      { action: 'delete', kind: 'sla', name: 'pii-exposure' },
    ])
    expect(listed(store)).toEqual([{ glossaryTermSlug: null, days: { CRITICAL: 5 } }])
  })

  it.each([
    ['0 days', 'days:\n  HIGH: 0\n', /^sla\/b\.yaml:2:\d+ days\.HIGH/],
    ['a second policy for all findings', 'days:\n  LOW: 1\n', /^sla\/b\.yaml:1:1 glossaryTermSlug/],
    [
      'a term that does not exist',
      'glossaryTermSlug: no-term\ndays:\n  LOW: 1\n',
      /^sla\/b\.yaml:1:\d+ glossaryTermSlug/,
    ],
    ['an inactive term', 'glossaryTermSlug: data-quality\ndays:\n  LOW: 1\n', /^sla\/b\.yaml:1:\d+ glossaryTermSlug/],
  ])('with %s are reported with file, line and member', (_, text, place) => {
    const store = openStore()
    store.write((writer) => updateTerm(writer, getTerm(writer, 'data-quality'), { isActive: false }, author))
    const folder = newFolder()
    policyFile(folder, 'a.yaml', 'days:\n  HIGH: 7\n')
    policyFile(folder, 'b.yaml', text)
    expect(thrownBy(() => apply(store, folder)).facts.issues?.map(({ path }) => path)).toEqual([
      expect.stringMatching(place),
    ])
    expect(listed(store)).toEqual([])
  })
})
