import type { Command } from 'commander'
import type { GlossaryTerm } from '../../glossary/model.ts'
import { given } from '../../kernel/json-object.ts'
import { joinShown, line, showCode, showName } from '../../kernel/shown.ts'
import type { Impact } from '../../query/impact-model.ts'
import { type DataUse, declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import { listLeaves, toFacts } from '../facts.ts'
import { addFilterFlags, splitFilter } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { toImpactBlocks } from '../impact-text.ts'
import { type Block, cell, table, warning } from '../output/blocks.ts'
import { addFormats, present, show, showNote } from '../output/show.ts'
import { askText, isInteractive } from '../prompt.ts'
import { removeNamed } from '../remove-named.ts'
import { printJson, type Session, withSession } from '../session.ts'
import { toWords } from '../slug-name.ts'

interface TermView extends GlossaryTerm {
  metrics?: { slug: string }[]
  warnings?: { message: string }[]
}

interface TermFlags extends Flags {
  json?: boolean
  format?: string
  search?: string
  category?: string
  all?: boolean
}

const list = (value: string) => value.split(',').map((item) => item.trim())

export function addTermCommands(program: Command, host: Host): void {
  const terms = program.command('terms').description('glossary terms: business words for sets of findings')
  const command = (name: string, description: string, use: DataUse = 'existing') =>
    declareDataUse(use, terms.command(name, { isDefault: name === 'list' })).description(description)

  addFormats(command('list', 'list the terms'))
    .option('--search <words>', 'only terms with these words')
    .option('--category <name>', 'only terms of this category')
    .option('--all', 'also inactive terms')
    .action(async ({ json, format, home, search, category, all }: TermFlags) => {
      const input = given({ search, category, includeInactive: all })
      const answer = await withSession(host, { home }, (session) =>
        session.call<{ items: TermView[]; total: number }>('list_glossary_terms', input),
      )
      await present(host, { json, format }, answer, () => toTermTable(answer.items, answer.total))
    })

  addFormats(command('show', 'show a term: what it covers, how many findings that are now, and its metrics'))
    .argument('<term>', 'slug, id, display name or synonym of the term')
    .action(async (slug: string, { json, format, home }: TermFlags) => {
      await withSession(host, { home }, async (session) => {
        const term = await session.call<TermView>('get_glossary_term', { slug })
        const lines = await toLines(session, term)
        return present(host, { json, format }, term, () => lines)
      })
    })

  const create = command('create', 'create a term; on a terminal, asks which findings it covers', 'created')
    .option('--json', 'print the response of the REST API')
    .argument('[slug]', 'its permanent name, such as customer-data')
    .option('--name <name>', 'name for people (default: the slug in words)')
    .option('--description <text>', 'what it means')
    .option('--category <name>', 'group of terms, such as SECURITY')
    .option('--synonyms <list>', 'other names of it', list)
  addFilterFlags(create).action(async (slug: string | undefined, options: TermFlags & Record<string, unknown>) => {
    const { filter, others } = splitFilter(options)
    const { json, home, name, description, category, synonyms } = others as TermFlags & Record<string, unknown>
    const asks = isInteractive(host)
    const isOpen = Object.keys(filter).length === 0
    if (!asks && (slug === undefined || isOpen)) {
      const missing = [
        ...(slug === undefined ? ['a slug'] : []),
        ...(isOpen ? ['a filter such as --severities HIGH'] : []),
      ]
      throw new UsageError(`Without a terminal to ask on, give ${missing.join(' and ')}.`)
    }
    await withSession(host, { home }, async (session) => {
      const named = slug ?? (await askText(host, line`A permanent name for the term`, { placeholder: 'customer-data' }))
      const { askFilter } = await import('../filter-questions.ts')
      const filterMapping = isOpen ? await askFilter(host, session) : filter
      const input = { slug: named, displayName: name ?? toWords(named), filterMapping }
      const term = await session.call<TermView>('create_glossary_term', {
        ...input,
        ...given({ description, category, synonyms }),
      })
      if (json) printJson(host, term)
      else await show(host, ...(await toLines(session, term)))
      for (const { message } of term.warnings ?? []) await showNote(host, warning(message))
    })
  })

  addFilterFlags(
    addFormats(command('impact', 'show what another filter of a term would do to its metrics')).argument(
      '<term>',
      'slug, id, display name or synonym of the term',
    ),
  ).action(async (slug: string, options: TermFlags & Record<string, unknown>) => {
    const { filter, others } = splitFilter(options)
    const { home, ...output } = others as TermFlags
    const change = Object.keys(filter).length === 0 ? {} : { filterMapping: filter }
    const impact = await withSession(host, { home }, (session) =>
      session.call<Impact>('get_term_impact', { slug, ...change }),
    )
    await present(host, output, impact, () => toImpactBlocks(impact))
  })

  command('certify', 'confirm that you have reviewed a term that an assistant wrote')
    .option('--json', 'print the response of the REST API')
    .argument('<term>', 'slug, id, display name or synonym of the term')
    .action(async (slug: string, { json, home }: TermFlags) => {
      await withSession(host, { home }, async (session) => {
        const before = await session.call<TermView>('get_glossary_term', { slug })
        const input = { slug: before.slug, displayName: before.displayName }
        const term = await session.call<TermView>('update_glossary_term', input)
        if (json) return printJson(host, term)
        const done = before.unreviewed === true ? line`is now reviewed` : line`was reviewed already`
        await show(host, line`${showCode(term.slug)} ${done}.`)
      })
    })

  command('remove', 'remove a term; fails while metrics use it, unless --detach is given')
    .option('--json', 'print the response of the REST API')
    .argument('<term>', 'slug, id, display name or synonym of the term')
    .option('--detach', 'metrics that use it lose it and become drafts')
    .option('-y, --yes', 'do not ask for confirmation')
    .action(async (slug: string, { home, ...options }: TermFlags & { detach?: boolean; yes?: boolean }) => {
      await withSession(host, { home }, async (session) => {
        const term = await session.call<TermView>('get_glossary_term', { slug })
        const remove = {
          operation: 'delete_glossary_term',
          input: { slug: term.slug, ...given({ detach: options.detach }) },
        }
        await removeNamed(host, session, { name: showCode(term.slug), ...remove, ...options })
      })
    })
}

function toTermTable(items: readonly TermView[], total: number): Block[] {
  if (items.length === 0) return [line`No terms match.`]
  const rows = items.map((term) => [
    cell.code(term.slug),
    cell.shown(line`${showName(term.displayName)}${term.isActive ? line`` : line` (inactive)`}`),
    cell.shown(
      joinShown(
        listLeaves(term.filterMapping).map(([key, { text }]) => line`${key} ${text}`),
        '; ',
      ),
    ),
  ])
  const columns = [{ title: line`term` }, { title: line`name`, shrink: 1 }, { title: line`covers`, shrink: 2 }]
  const more = total > items.length ? [line`${items.length} of ${total} terms`] : []
  return [table(columns, rows), ...more]
}

async function toLines(session: Session, term: TermView): Promise<Block[]> {
  const { slug, displayName, description, category, synonyms, isActive, unreviewed, filterMapping, metrics = [] } = term
  const { count } = await session.call<{ count: number }>('preview_glossary_term', { slug })
  const review = line`written by an assistant; \`assay terms certify\` confirms it`
  return [
    line`${showName(displayName)} (${showCode(slug)}) covers ${count} ${count === 1 ? line`finding` : line`findings`}.`,
    toFacts(
      [line`description`, cell.sentence(description)],
      [line`category`, cell.sentence(category)],
      [line`synonyms`, cell.shown(joinShown(synonyms.map((each) => showName(each))))],
      ...listLeaves(filterMapping),
      [line`metrics`, cell.shown(joinShown(metrics.map((metric) => showCode(metric.slug))))],
      isActive ? undefined : [line`state`, cell.shown(line`inactive`)],
      unreviewed === true ? [line`review`, cell.shown(review)] : undefined,
    ),
  ]
}
