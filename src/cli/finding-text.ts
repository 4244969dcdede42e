import type { AudienceName } from '../connectors/audience.ts'
import type { FindingDetail, Presence } from '../findings/model.ts'
import { count } from '../kernel/count.ts'
import { joinShown, line, type PrintableText, quote, showCode, showName, showSentence } from '../kernel/shown.ts'
import { type Fact, toFacts } from './facts.ts'
import { type Block, cell, command, linked } from './output/blocks.ts'
import { toReadersTime } from './output/times.ts'

/** One finding with its history, and the command that decides on it. */
export function toDetailText(finding: FindingDetail): Block[] {
  const {
    id,
    severity,
    status,
    presence,
    value,
    valuePlaces,
    audience,
    audienceSize,
    detectorType,
    findingType,
    asset,
    location,
    excerpt = '',
  } = finding
  const where = [asset.container, asset.name].filter((part) => part !== '').map((part) => showName(part))
  const page = linked(
    cell.shown(line`${joinShown(where, ' / ')} (${showName(asset.kind)})`),
    finding.placeUrl ?? asset.url,
  )
  const time = (name: PrintableText, at: string | undefined): Fact | undefined =>
    at === undefined ? undefined : [name, cell.time(at)]
  const history = finding.history.map(({ at, from, to, by, via, reason, presence: moved }): Block => {
    const how = via === undefined ? line`` : line` (${showCode(via)})`
    const why = reason === undefined ? line`` : line`: ${showName(reason)}`
    const when = line`  ${toReadersTime(at)}  `
    if (moved !== undefined) return [when, line`${showPresence(moved)}`]
    return [when, line`${showCode(from)} → `, cell.status(to), line` by ${showName(by)}${how}${why}`]
  })
  return [
    [
      line`Finding ${showCode(id)}: ${showName(detectorType)} ${showName(findingType)}, `,
      cell.status(severity),
      line`, `,
      cell.status(status),
    ],
    toFacts(
      [line`where`, page],
      location === undefined ? undefined : [line`part`, cell.shown(showPlace(location))],
      asset.url === '' ? undefined : [line`address`, linked(cell.name(asset.url, 500), asset.url)],
      excerpt === '' ? undefined : [line`excerpt`, cell.name(excerpt, 300)],
      [line`source`, cell.name(finding.source)],
      [line`confidence`, cell.number(finding.confidence)],
      value === undefined || valuePlaces === undefined
        ? undefined
        : [line`value`, cell.shown(line`${showName(value)}, in ${count(valuePlaces.items, 'item')}`)],
      presence === 'current' ? undefined : [line`presence`, cell.shown(showPresence(presence))],
      audience === 'unknown' ? undefined : [line`can be read by`, cell.shown(showAudience(audience, audienceSize))],
      time(line`first found`, finding.firstDetectedAt),
      time(line`last found`, finding.lastDetectedAt),
      time(line`resolved`, finding.resolvedAt),
      time(line`due`, finding.dueAt),
      time(line`open again`, finding.until),
    ),
    ...(finding.advice === undefined ? [] : [line``, showSentence(finding.advice)]),
    ...(history.length === 0 ? [] : [line``, line`History`, ...history]),
    line``,
    ...(status === 'OPEN'
      ? [
          line`Decide on it:`,
          command(line`  assay triage ${showCode(id)} --as resolved`),
          command(line`  assay triage ${showCode(id)} --as false-positive --reason "why"`),
        ]
      : [line`Open it again:`, command(line`  assay triage ${showCode(id)} --as open`)]),
  ]
}

const presences: Readonly<Record<Presence, PrintableText>> = {
  current: line`in the present version`,
  archived: line`in an archived item`,
  history: line`only in earlier versions`,
  trash: line`in the trash`,
  unknown: line`unknown: versions or trash were not read`,
}
const showPresence = (presence: Presence): PrintableText => presences[presence]

const audiences: Readonly<Record<AudienceName, PrintableText>> = {
  anonymous: line`anyone on the web`,
  everyone: line`everyone in the organization`,
  group: line`members of groups`,
  people: line`named people`,
  unknown: line`unknown`,
}
const showAudience = (audience: AudienceName, size: number | undefined): PrintableText =>
  size === undefined ? audiences[audience] : line`${audiences[audience]} (${size})`

function showPlace({ path, heading, line: number }: NonNullable<FindingDetail['location']>): PrintableText {
  const under = heading === undefined ? [] : [line`below ${quote(heading)}`]
  const parts = [
    ...(path === '' ? [] : [showName(path)]),
    ...under,
    ...(number === undefined ? [] : [line`line ${number}`]),
  ]
  return joinShown(parts, ', ')
}
