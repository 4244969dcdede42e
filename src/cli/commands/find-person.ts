import type { Command } from 'commander'
import type { Finding } from '../../findings/model.ts'
import { count } from '../../kernel/count.ts'
import { joinShown, line, showCode, showName, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import { UsageError } from '../exit.ts'
import type { Flags, Host } from '../host.ts'
import { type Block, type Column, cell, linked, table, warning } from '../output/blocks.ts'
import { addFormats, present } from '../output/show.ts'
import { askSecret, isInteractive } from '../prompt.ts'
import { readText, withSession } from '../session.ts'

interface Found {
  identifiers: { position: number; readAs: string; findings: number; note?: string }[]
  findings: number
  items: number
  truncated: boolean
  places: { asset: Finding['asset']; findings: Omit<Finding, 'asset'>[] }[]
}

const MAX_BYTES = 64 * 1024

export function addFindPersonCommand(program: Command, host: Host): void {
  addFormats(declareDataUse('existing', program.command('find-person')))
    .description(
      'find where personal data of someone is: email addresses, phone numbers, cards, IBANs, national ids, names; asks for them, or reads lines from standard input, and keeps nothing of them',
    )
    .action(async (options: Flags & { json?: boolean; format?: string }) => {
      const identifiers = await readIdentifiers(host)
      const found = await withSession(host, options, (session) => session.call<Found>('find_value', { identifiers }))
      await present(host, options, found, () => toText(found))
    })
}

/** Never from an argument, which the shell would remember. */
async function readIdentifiers(host: Host): Promise<string[]> {
  const text = isInteractive(host)
    ? await askSecret(host, line`Identifiers, with ; between them (they are not shown):`)
    : await readText(host.stdin as AsyncIterable<Uint8Array>, MAX_BYTES)
  const identifiers = text.split(isInteractive(host) ? /[;\n]/ : '\n').map((each) => each.trim())
  const given = identifiers.filter((each) => each !== '')
  if (given.length === 0) throw new UsageError('Standard input is empty: give one identifier on each line.')
  return given
}

const columns: Column[] = [
  { title: line`item`, shrink: 1 },
  { title: line`finding` },
  { title: line`what` },
  { title: line`status` },
]

function toText({ identifiers, findings, items, truncated, places }: Found): Block[] {
  const rows = places.flatMap(({ asset, findings: own }) =>
    own.map(({ id, detectorType, findingType, status }) => [
      linked(
        cell.shown(
          joinShown(
            [asset.container, asset.name].filter((part) => part !== '').map((part) => showName(part)),
            ' / ',
          ),
        ),
        asset.url,
      ),
      cell.code(id),
      cell.shown(line`${showName(detectorType)} ${showName(findingType)}`),
      cell.status(status),
    ]),
  )
  return [
    ...(rows.length === 0 ? [] : [table(columns, rows)]),
    line`${count(findings, 'finding')} in ${count(items, 'item')}${truncated ? line`, of which the first are listed` : line``}.`,
    ...identifiers.flatMap(({ position, readAs, findings: own, note }): Block[] => [
      line`  identifier ${position} (${showCode(readAs)}): ${count(own, 'finding')}`,
      ...(note === undefined ? [] : [[warning(showSentence(note))]]),
    ]),
  ]
}
