import { createRandom, pick, toGuid } from '../../src/sample/ids.ts'
import { WikiTenant } from '../../src/sample/wiki/tenant.ts'
import * as s from './storage-format.ts'

const DAY_MS = 86_400_000
const TODAY = Date.UTC(2026, 0, 1)
const PAGES_PER_SPACE = 2_500

const subjects = [
  'The depot',
  'The night shift',
  'A supplier',
  'The workshop',
  'The web shop',
  'A guide',
  'The finance desk',
  'The courier',
] as const
const verbs = ['checks', 'moves', 'repairs', 'counts', 'delays', 'prints', 'returns', 'plans'] as const
const objects = [
  'the tents',
  'every label',
  'forty parcels',
  'the winter range',
  'a broken zip',
  'the delivery list',
  'two pallets',
  'the price tags',
] as const
const ends = [
  'before noon',
  'without a form',
  'when the truck is late',
  'twice a week',
  'until somebody objects',
  'with the old scanner',
  'by hand',
  'in the second hall',
] as const
const topics = ['Notes', 'Plan', 'Report', 'Checklist', 'Review', 'Questions', 'Decision', 'Summary'] as const

export interface GeneratedWikiOptions {
  pages: number
  /** Number of spaces, of equal size; default: one per 2,500 pages. */
  spaces?: number
  seed?: number
  /** Mean number of sentences of a page; default 40, about 3 KB of storage format. */
  sentences?: number
  /** Every so manieth page has a comment with a reply, or an attachment; 0: none. */
  commentEvery?: number
  attachmentEvery?: number
  /** Every so manieth page holds one fake credential and one mail address; 0: none. */
  plantEvery?: number
  /** Links of each page, most of them to other pages; default 0. */
  links?: number
}

/** What the generated page with this number holds, when it is one with plants. */
export function toGeneratedPlant(seed: number, number: number): { password: string; mail: string } {
  const random = createRandom(`${seed} plant ${number}`)
  const letters = () =>
    Math.floor(random() * 2_176_782_336)
      .toString(36)
      .padStart(6, 'k')
  return { password: `Gorse#${letters()}7Q`, mail: `${letters()}.reader@fellpost.net` }
}

function toSentence(random: () => number): string {
  return `${pick(random, subjects)} ${pick(random, verbs)} ${pick(random, objects)} ${pick(random, ends)}.`
}

const toTitle = (number: number) => `${topics[number % topics.length]} ${number + 1}`
const toPagesPerSpace = ({ pages, spaces }: GeneratedWikiOptions) =>
  spaces === undefined ? PAGES_PER_SPACE : Math.ceil(pages / spaces)
const toSpaceKey = (options: GeneratedWikiOptions, number: number) =>
  `GEN${Math.floor(number / toPagesPerSpace(options)) + 1}`

/** Of ten links eight lead to other pages, of which one in a hundred is missing, and two to a host that is not public. */
function toLinks(random: () => number, options: GeneratedWikiOptions): string[] {
  const { pages, links = 0 } = options
  return Array.from({ length: links }, (_, index) => {
    const target = Math.floor(random() * pages)
    if (index % 10 > 7) return s.webLink(`http://10.0.0.7/handbook/${target}-${index}`, 'the handbook')
    const title = random() < 0.01 ? `Gone ${target}` : toTitle(target)
    return s.pageLink(title, { space: toSpaceKey(options, target) })
  })
}

function toGeneratedBody(options: GeneratedWikiOptions, number: number, planted: boolean): string {
  const { seed = 1, sentences = 40 } = options
  const random = createRandom(`${seed} body ${number}`)
  const count = Math.max(3, Math.round(sentences * (0.5 + random())))
  const paragraphs: string[] = []
  for (let written = 0; written < count; written += 5) {
    if (written % 20 === 0) paragraphs.push(s.heading(`${pick(random, topics)} ${written / 5 + 1}`))
    paragraphs.push(s.text(Array.from({ length: Math.min(5, count - written) }, () => toSentence(random)).join(' ')))
  }
  if (random() < 0.3) paragraphs.push(s.code('text', `job=${number} state=done took=${Math.floor(random() * 900)}ms`))
  if (planted) {
    const { password, mail } = toGeneratedPlant(seed, number)
    paragraphs.push(s.code('bash', `DB_PASSWORD=${password}`), s.text(`Write to ${mail} with questions.`))
  }
  const links = toLinks(random, options)
  if (links.length > 0) paragraphs.push(s.bullets(...links))
  return paragraphs.join('')
}

/** Ids of generated pages are numbers in a row, so that a benchmark can name them. */
export const toGeneratedId = (number: number) => String(7_000_000_000 + number)

/** A wiki of any size, decided by its seed. Bodies and files are made when they are asked for and not kept. */
export function generatedWiki(options: GeneratedWikiOptions): WikiTenant {
  const { pages, seed = 1, commentEvery = 10, attachmentEvery = 20, plantEvery = 50 } = options
  const tenant = new WikiTenant({ cloudId: toGuid(`generated wiki ${seed}`) })
  const author = tenant.addUser({ accountId: '712020:generated', displayName: 'Generated', email: '' }).accountId
  const isEvery = (number: number, every: number) => every > 0 && number % every === every - 1
  const perSpace = toPagesPerSpace(options)
  const spaceIds = Array.from({ length: Math.max(1, Math.ceil(pages / perSpace)) }, (_, index) => {
    const key = toSpaceKey(options, index * perSpace)
    return tenant.addSpace({
      id: String(6_000_000_000 + index),
      key,
      name: `Generated ${index + 1}`,
      labels: index === 0 ? ['first'] : [],
      createdAt: TODAY,
    }).id
  })
  for (let number = 0; number < pages; number++) {
    const id = toGeneratedId(number)
    const updatedAt = TODAY - (number % 600) * DAY_MS
    const planted = isEvery(number, plantEvery)
    tenant.addPage({
      id,
      spaceId: spaceIds[Math.floor(number / perSpace)] ?? '',
      title: toTitle(number),
      body: () => toGeneratedBody(options, number, planted),
      createdAt: updatedAt - 30 * DAY_MS,
      updatedAt,
      authorId: author,
    })
    if (isEvery(number, commentEvery)) {
      const body = s.text(toSentence(createRandom(`${seed} comment ${number}`)))
      const root = tenant.addComment(id, {
        id: String(8_000_000_000 + number * 2),
        body,
        createdAt: updatedAt,
        authorId: author,
      })
      tenant.addComment(id, {
        id: String(8_000_000_001 + number * 2),
        parentId: root.id,
        body: s.text('Agreed.'),
        createdAt: updatedAt,
        authorId: author,
      })
    }
    if (isEvery(number, attachmentEvery)) {
      const bytes = () => Buffer.from(`${toSentence(createRandom(`${seed} file ${number}`))}\n`)
      tenant.addAttachment(id, {
        id: `att${9_000_000_000 + number}`,
        title: `notes-${number + 1}.txt`,
        mediaType: 'text/plain',
        bytes,
        fileSize: bytes().length,
        createdAt: updatedAt,
      })
    }
  }
  return tenant
}
