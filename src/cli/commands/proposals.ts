import { type Command, Option } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { given } from '../../kernel/json-object.ts'
import { line, showCode, showJson, showSentence } from '../../kernel/shown.ts'
import { type Proposal, type ProposalItem, proposalStatuses } from '../../proposals/model.ts'
import type { Impact } from '../../query/impact-model.ts'
import { declareDataUse } from '../data-use.ts'
import { toFacts } from '../facts.ts'
import type { Flags, Host } from '../host.ts'
import { toImpactBlocks } from '../impact-text.ts'
import { type Block, cell, command as shellCommand, table } from '../output/blocks.ts'
import { addFormats, present, show } from '../output/show.ts'
import { agrees } from '../prompt.ts'
import { printJson, type Session, withSession } from '../session.ts'

interface ListFlags extends Flags {
  json?: boolean
  format?: string
  status?: string
}

interface DecideFlags extends Flags {
  json?: boolean
  yes?: boolean
  reason?: string
}

/** `assay proposals`, `assay approve` and `assay reject`. */
export function addProposalCommands(program: Command, host: Host): void {
  const proposals = program.command('proposals').description('changes that assistants and others have proposed')
  const list = declareDataUse('existing', proposals.command('list', { isDefault: true }))
    .description('list the proposals, newest first')
    .addOption(new Option('--status <status>', 'only this status').choices(proposalStatuses).default('open'))
  addFormats(list).action(async ({ json, format, status, home }: ListFlags) => {
    const answer = await withSession(host, { home }, (session) =>
      session.call<{ items: ProposalItem[] }>('list_proposals', given({ status, limit: 500 })),
    )
    await present(host, { json, format }, answer, () =>
      answer.items.length === 0 ? [line`No proposals are ${showCode(status ?? 'open')}.`] : [toTable(answer.items)],
    )
  })

  const showing = declareDataUse('existing', proposals.command('show'))
    .description('show a proposal: who made it, and everything that it changes')
    .argument('<id>', 'id of the proposal')
  addFormats(showing).action(async (id: string, { json, format, home }: ListFlags) => {
    const { proposal, impact } = await withSession(host, { home }, async (session) => {
      const proposal = await session.call<Proposal>('get_proposal', { id })
      return { proposal, impact: json === true ? [] : await listImpact(session, proposal) }
    })
    await present(host, { json, format }, proposal, () => [
      ...toLines(proposal),
      ...impact,
      ...(proposal.status === 'open' ? [shellCommand(line`Approve it: assay approve ${showCode(id)}`)] : []),
    ])
  })

  declareDataUse('existing', program.command('approve'))
    .description('approve a proposal, which then takes effect in your name; shows it and asks before')
    .argument('<id>', 'id of the proposal')
    .option('--reason <text>', 'reason, for the history')
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print the response of the REST API')
    .action(async (id: string, { json, yes, reason, home }: DecideFlags) => {
      await withSession(host, { home }, async (session) => {
        const proposal = await session.call<Proposal>('get_proposal', { id })
        if (yes !== true) {
          for (const block of [...toLines(proposal), ...(await listImpact(session, proposal))]) await show(host, block)
          if (!(await agrees(host, line`Approve it?`))) return show(host, line`Nothing was changed.`)
        }
        const answer = await session.call('approve_proposal', { id, ...given({ reason }) })
        if (json) return printJson(host, answer)
        await show(host, line`Approved: ${showSentence(proposal.summary)}`)
      })
    })

  declareDataUse('existing', program.command('reject'))
    .description('reject a proposal; nothing is changed')
    .argument('<id>', 'id of the proposal')
    .option('--reason <text>', 'reason, for the history')
    .option('--json', 'print the response of the REST API')
    .action(async (id: string, { json, reason, home }: DecideFlags) => {
      const proposal = await withSession(host, { home }, (session) =>
        session.call<Proposal>('reject_proposal', { id, ...given({ reason }) }),
      )
      if (json) return printJson(host, proposal)
      await show(host, line`Rejected: ${showSentence(proposal.summary)}`)
    })
}

/** What a proposal would do to numbers; nothing where what it is about is gone. */
async function listImpact(session: Session, { id, impact }: Proposal): Promise<Block[]> {
  if (impact === undefined) return []
  try {
    const { usedBy, ...found } = await session.call<Impact>(impact.operation, impact.input)
    const proposals = usedBy.proposals.filter((other) => other !== id)
    return toImpactBlocks({ ...found, usedBy: { ...usedBy, proposals } })
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

function toTable(items: readonly ProposalItem[]): Block {
  const rows = items.map(({ id, summary, status, proposedBy, createdAt, expiresAt }) => [
    cell.code(id),
    cell.sentence(summary),
    cell.status(status),
    cell.name(proposedBy),
    cell.time(createdAt),
    cell.time(expiresAt),
  ])
  const columns = [
    { title: line`id` },
    { title: line`proposal`, shrink: 1 },
    { title: line`status` },
    { title: line`by`, shrink: 2 },
    { title: line`proposed`, shrink: 3, isOptional: true as const },
    { title: line`until` },
  ]
  return table(columns, rows)
}

function toLines(proposal: Proposal): Block[] {
  const { summary, status, proposedBy, via, client, decidedBy, reason, expiresAt, details, changes } = proposal
  const made = client === undefined ? line`` : line` with ${showSentence(client)}`
  const decided = decidedBy === undefined ? line`` : line` by ${showSentence(decidedBy)}`
  return [
    showSentence(summary),
    toFacts(
      [line`status`, cell.shown(line`${showCode(status)}${decided}`)],
      [line`proposed by`, cell.shown(line`${showSentence(proposedBy)} over ${showCode(via)}${made}`)],
      status === 'open' ? [line`until`, cell.time(expiresAt)] : undefined,
      reason === undefined ? undefined : [line`reason`, cell.sentence(reason)],
    ),
    ...details.map((detail) => showSentence(detail)),
    ...changes.flatMap(({ action, kind, name, before, after }) => [
      line`${showCode(action)} ${showCode(kind)} ${showSentence(name)}`,
      ...[...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].map(
        (member) => line`  ${showCode(member)}: ${toValue(before?.[member])} → ${toValue(after?.[member])}`,
      ),
    ]),
  ]
}

const toValue = (value: unknown) => (value === undefined ? line`-` : showSentence(showJson(value), 400))
