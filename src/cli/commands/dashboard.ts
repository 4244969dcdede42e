import { Agent, get } from 'node:http'
import type { Command } from 'commander'
import type { DashboardAnswer } from '../../dashboards/evaluation.ts'
import { AppError } from '../../kernel/errors.ts'
import { given } from '../../kernel/json-object.ts'
import { line, type PrintableText, showSentence } from '../../kernel/shown.ts'
import { toDashboardText } from '../dashboard-text.ts'
import { declareDataUse } from '../data-use.ts'
import { endOption, startOption } from '../filter-flags.ts'
import type { Flags, Host } from '../host.ts'
import { cell, table } from '../output/blocks.ts'
import { addFormats, present, showNote } from '../output/show.ts'
import { print, type Session, withSession } from '../session.ts'

interface DashboardFlags extends Flags {
  from?: string
  to?: string
  timeZone?: string
  json?: boolean
  format?: string
}

/** The dashboard that is shown when none is named. */
const USUAL = 'discovery'

export function addDashboardCommands(program: Command, host: Host): void {
  const dashboard = declareDataUse('existing', program.command('dashboard'))
    .description('show the metrics of a dashboard')
    .argument('[name]', `name of the dashboard (default: ${USUAL}, or the only one)`)
    .option('--from <time>', startOption)
    .option('--to <time>', endOption)
    .option('--time-zone <zone>', 'IANA zone of days (default UTC)')
  addFormats(dashboard).action(
    async (name: string | undefined, { json, format, home, from, to, timeZone }: DashboardFlags) => {
      await withSession(host, { home }, async (session) => {
        const dashboard = name ?? (await chooseDashboard(session))
        const input = { dashboard, ...given({ from, to, timeZone }) }
        const answer = await session.call<DashboardAnswer>('query_dashboard', input)
        return present(host, { json, format }, answer, () => toDashboardText(answer))
      })
    },
  )

  addFormats(declareDataUse('existing', program.command('dashboards')))
    .description('list the dashboards')
    .action(async (options: DashboardFlags) => {
      const answer = await withSession(host, options, listDashboards)
      const columns = [
        { title: line`dashboard`, shrink: 1 },
        { title: line`metrics`, align: 'right' as const },
      ]
      const rows = answer.items.map((each) => [cell.name(each.name), cell.number(each.placements)])
      await present(host, options, answer, () => [
        rows.length === 0 ? line`No dashboards: the first metric placed on one creates it.` : table(columns, rows),
      ])
    })

  declareDataUse('none', program.command('console'))
    .description('open the web console of the running `assay serve` in a browser')
    .option('--print', 'only print its address')
    .action(async ({ print: prints, ...flags }: Flags & { print?: boolean }) => {
      const url = await findConsole(host, flags)
      print(host, line`${url}`)
      if (prints === true || (await host.browse(url))) return
      await showNote(host, line`No browser could be opened; open this address yourself.`)
    })
}

const listDashboards = (session: Session) =>
  session.call<{ items: { name: string; placements: number }[] }>('list_dashboards', {})

async function chooseDashboard(session: Session): Promise<string> {
  const { items } = await listDashboards(session)
  const [first] = items
  if (first === undefined)
    throw new AppError('not_found', 'There is no dashboard yet; the first metric placed on one creates it.')
  return items.length === 1 ? first.name : USUAL
}

const MAX_WAIT_MS = 2000

/** The address of the console. @throws AppError `unavailable` where no server on this machine answers */
async function findConsole(host: Host, flags: Flags): Promise<PrintableText> {
  const { address } = host.locate(flags)
  if (address === undefined) {
    const message =
      'The server has no console that a browser can open: it listens on a unix socket without publicUrl, or was started with --no-console.'
    throw new AppError('unavailable', message)
  }
  if (address.startsWith('http:') && !(await answers(`${address}/health`)))
    throw new AppError('unavailable', `No server answers at ${address}; start one with \`assay serve\`.`)
  return showSentence(`${address}/console/`)
}

function answers(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    // The global agent may have a proxy of its own.
    const request = get(url, { timeout: MAX_WAIT_MS, agent: new Agent() }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(false))
  })
}
