import { toContentId } from '../ids.ts'
import type { FileContent } from './files.ts'
import { readBody, readYaml } from './read.ts'

export type SpaceKey = 'ENG' | 'OPS' | 'PEOPLE' | 'RETAIL' | '~ebrightwell' | 'OLD'

export interface CommentSpec {
  body: string
  kind?: 'footer' | 'inline'
  /** The words an inline comment is about. */
  selection?: string
  resolution?: 'open' | 'resolved'
  replies?: readonly CommentSpec[]
}

interface FileSpec {
  filename: string
  mediaType: string
  content: FileContent
  comment?: string
}

/** One page of the built-in wiki. Its slug decides its id, so slugs never change. */
export interface PageSpec {
  slug: string
  space: SpaceKey
  title: string
  /** Slug of the page above; absent: the home page of the space. */
  parent?: string
  labels?: readonly string[]
  /** When it was last edited: days before the tenant is built, or a day long ago that stays what it is. */
  edited: number | string
  author?: number
  body: string
  comments?: readonly CommentSpec[]
  files?: readonly FileSpec[]
}

/** Every page of the built-in wiki, in the order in which the tenant lists them. */
export const companyPages: readonly PageSpec[] = (readYaml('pages') as readonly Omit<PageSpec, 'body'>[]).map(
  (page) => ({ ...page, body: readBody(page.slug) }),
)

export const toPageId = (slug: string) => toContentId(`page ${slug}`)
export const toFileId = (slug: string, filename: string) => `att${toContentId(`file ${slug}/${filename}`)}`

export const authors = [
  ['Edith Brightwell', 'edith.brightwell'],
  ['Callum Roe', 'callum.roe'],
  ['Sanna Virtala', 'sanna.virtala'],
  ['Marek Dudek', 'marek.dudek'],
  ['Ottilie Grant', 'ottilie.grant'],
  ['Hugo Lacroix', 'hugo.lacroix'],
  ['Nia Pritchard', 'nia.pritchard'],
  ['Femi Adeyemi', 'femi.adeyemi'],
  ['Greta Lindahl', 'greta.lindahl'],
  ['Rohan Mistry', 'rohan.mistry'],
] as const

export const toAccountId = (author: number) =>
  `712020:${toContentId(`user ${authors[author % authors.length]?.[1] ?? ''}`)}`
