import { type Command, InvalidArgumentError } from 'commander'
import { line, showCode } from '../../kernel/shown.ts'
import { type DataUse, declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { cell, table } from '../output/blocks.ts'
import { addFormats, present } from '../output/show.ts'
import { type Session, withSession } from '../session.ts'

type Days = Record<string, number>

interface SlaAnswer {
  policies: { glossaryTermSlug: string | null; days: Days; updatedAt: string }[]
}

interface SlaFlags extends Flags {
  days?: Days
  term?: string
  json?: boolean
  format?: string
}

const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']

export function addSlaCommands(program: Command, host: Host): void {
  const sla = program.command('sla').description('due dates of findings: see, set and remove policies')
  const command = (name: string, description: string, use: DataUse = 'existing') =>
    addFormats(declareDataUse(use, sla.command(name)).description(description))

  command('list', 'list the policies').action(async (options: SlaFlags) => {
    await show(await withSession(host, options, getPolicies), options)
  })

  command('set', 'set the policy of all findings, or of a term', 'created')
    .requiredOption('--days <list>', 'days by severity, such as CRITICAL=7,HIGH=30', toDays)
    .option('--term <term>', 'only the findings of this term')
    .action(async (options: SlaFlags) => {
      const policy = {
        days: options.days ?? {},
        ...(options.term === undefined ? {} : { glossaryTermSlug: options.term }),
      }
      await show(await change(options, (others) => [...others, policy]), options)
    })

  command('remove', 'remove the policy of all findings, or of a term')
    .option('--term <term>', 'the policy of this term')
    .action(async (options: SlaFlags) => show(await change(options, (others) => others), options))

  /** Sends all policies but the one of the given term, with what `add` adds to them. */
  const change = ({ home, term }: SlaFlags, add: (others: object[]) => object[]) =>
    withSession(host, { home }, async (session) => {
      const { policies } = await getPolicies(session)
      const others = policies.filter(({ glossaryTermSlug }) => glossaryTermSlug !== (term ?? null))
      return session.call<SlaAnswer>('set_sla', {
        policies: add(others.map(({ glossaryTermSlug, days }) => ({ glossaryTermSlug, days }))),
      })
    })

  const show = (answer: SlaAnswer, flags: SlaFlags) => {
    const rows = answer.policies.map(({ glossaryTermSlug, days }) => [
      glossaryTermSlug === null ? cell.shown(line`all findings`) : cell.code(glossaryTermSlug),
      ...severities.map((name) => cell.shown(days[name] === undefined ? line`-` : line`${days[name]}`, days[name])),
    ])
    const columns = [
      { title: line`findings`, shrink: 1 },
      ...severities.map((title) => ({ title: showCode(title), align: 'right' as const })),
    ]
    return present(host, flags, answer, () =>
      answer.policies.length === 0
        ? [line`No policies: nothing is due. Add one with: assay sla set --days CRITICAL=7,HIGH=30`]
        : [table(columns, rows)],
    )
  }
}

const getPolicies = (session: Session) => session.call<SlaAnswer>('get_sla', {})

function toDays(text: string): Days {
  const parts = text.split(',').map((part) => /^\s*([a-z]+)\s*=\s*(\d{1,5})\s*$/i.exec(part))
  if (parts.includes(null)) throw new InvalidArgumentError('Must be like CRITICAL=7,HIGH=30.')
  return Object.fromEntries(parts.map((part) => [part?.[1]?.toUpperCase() ?? '', Number(part?.[2])]))
}
