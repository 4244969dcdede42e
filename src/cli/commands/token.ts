import { type Command, InvalidArgumentError } from 'commander'
import type { Token } from '../../access/tokens.ts'
import { line, quote, showCode, showNames, showSentence } from '../../kernel/shown.ts'
import { readBound } from '../../kernel/time-range.ts'
import { utc } from '../../kernel/zone.ts'
import { type Scope, scopes, type WriteContext } from '../../operation/context.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host } from '../host.ts'
import { cell, table } from '../output/blocks.ts'
import { addFormats, present, show, showNote } from '../output/show.ts'
import { print, printJson, withSession } from '../session.ts'

const HOUR_MS = 3_600_000

type Tokens = typeof import('../../access/tokens.ts')

interface CreateFlags extends Flags {
  scope?: Scope[]
  name?: string
  expires?: number
  lockdown?: boolean
  json?: boolean
}

export function addTokenCommands(program: Command, host: Host): void {
  const token = program.command('token').description('manage tokens for HTTP; once a token exists, HTTP requires one')
  const inside = <T>(flags: Flags, work: (context: WriteContext, tokens: Tokens) => T): Promise<T> =>
    withSession(host, flags, async ({ app }) => {
      const tokens = await import('../../access/tokens.ts')
      return work(app.contextFor({ caller: app.caller, signal: host.signal }), tokens)
    })

  declareDataUse('created', token.command('create'))
    .description('create a token and print it; it is shown only once')
    .option('--scope <list>', `scopes it grants: ${scopes.join(', ')}; separate several with commas`, toScopes)
    .option('--name <name>', 'name shown in histories and the audit trail (default: its scopes and the date)')
    .option(
      '--expires <when>',
      'expiry: a day such as 2027-01-31, or a period such as 30d or 12h (default 90d)',
      toExpiry,
    )
    .option('--lockdown', 'its callers get counts and ids only, never text from tenants')
    .option('--json', 'print the token and its details as JSON')
    .action(async ({ scope, name, expires, lockdown, json, ...flags }: CreateFlags) => {
      if (scope === undefined) throw new UsageError(`Name the scopes of the token: --scope ${scopes.join('|')}.`)
      const made = await inside(flags, (context, { createToken }) =>
        createToken(context, {
          name: name ?? nameOf(scope),
          scopes: scope,
          ...(lockdown === true ? { lockdown } : {}),
          ...(expires === undefined ? {} : { expiresAt: expires }),
        }),
      )
      if (json) return printJson(host, made)
      print(host, showSentence(made.token))
      await showNote(
        host,
        line`Token ${showCode(made.id)} ${quote(made.name)} allows ${showNames(made.scopes)} until ${showCode(made.expiresAt.slice(0, 10))}. It is not shown again.`,
        line`From now on, REST and /mcp require a token; send it as \`Authorization: Bearer …\`.`,
      )
    })

  addFormats(
    declareDataUse('existing', token.command('list')).description('list the tokens without their secrets'),
  ).action(async ({ json, format, ...flags }: Flags & { json?: boolean; format?: string }) => {
    const items = await inside(flags, (context, { listTokens }) =>
      context.read((reader) => listTokens(reader, context.now())),
    )
    await present(host, { json, format }, { items, total: items.length }, () =>
      items.length === 0
        ? [line`There are no tokens; HTTP on loopback accepts requests from this machine without one.`]
        : [table(columns, items.map(toRow))],
    )
  })

  declareDataUse('existing', token.command('revoke'))
    .description('revoke a token, immediately and in every process')
    .argument('<token>', 'its id or its name')
    .option('--json', 'print it as JSON')
    .action(async (idOrName: string, { json, ...flags }: Flags & { json?: boolean }) => {
      const revoked = await inside(flags, (context, { revokeToken }) => revokeToken(context, idOrName))
      if (json) return printJson(host, revoked)
      await show(
        host,
        line`Token ${showCode(revoked.id)} ${quote(revoked.name)} is revoked. HTTP still requires a token; see \`assay token clear\`.`,
      )
    })

  declareDataUse('existing', token.command('clear'))
    .description('delete all tokens, so that HTTP on loopback no longer requires one')
    .option('-y, --yes', 'do it')
    .action(async ({ yes, ...flags }: Flags & { yes?: boolean }) => {
      if (yes !== true)
        throw new UsageError('This opens HTTP on loopback to everyone on this machine; add --yes to continue.')
      const count = await inside(flags, (context, { clearTokens }) => clearTokens(context))
      await show(
        host,
        line`${count} ${count === 1 ? line`token is` : line`tokens are`} deleted; HTTP on loopback no longer requires one.`,
      )
    })
}

const columns = [
  { title: line`id` },
  { title: line`name`, shrink: 2 },
  { title: line`scopes`, shrink: 1 },
  { title: line`status` },
  { title: line`expires` },
  { title: line`last used`, shrink: 3, min: 16, isOptional: true as const },
]

const toRow = ({ id, name, scopes, lockdown, status, expiresAt, lastUsedAt }: Token) => [
  cell.code(id),
  cell.name(name),
  cell.shown(line`${showNames(scopes)}${lockdown ? line` (lockdown)` : line``}`),
  cell.status(status),
  cell.code(expiresAt.slice(0, 10)),
  cell.time(lastUsedAt),
]

const nameOf = (granted: readonly Scope[]) =>
  `${granted.join('-')} ${new Date().toISOString().slice(0, 19).replaceAll(/[T:]/g, '-')}`

function toScopes(value: string, before: Scope[] = []): Scope[] {
  const granted = value.split(',').map((each) => scopes.find((known) => known === each.trim()))
  if (granted.includes(undefined)) throw new InvalidArgumentError(`Scopes are ${scopes.join(', ')}.`)
  return [...before, ...granted.filter((scope) => scope !== undefined)]
}

function toExpiry(value: string): number {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(value) ?? []
  const hours = { h: 1, d: 24, w: 168 }[unit ?? '']
  if (hours !== undefined) return Date.now() + Number(count) * hours * HOUR_MS
  const at = readBound(value, 'to', utc)
  if (typeof at === 'string') throw new InvalidArgumentError('Write 30d, 12h, 4w, or a day such as 2027-01-31.')
  return at
}
