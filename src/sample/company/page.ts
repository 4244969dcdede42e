import { toContentId } from '../ids.ts'
import type { FileContent } from './files.ts'
import { readBody, readYaml } from './read.ts'

export type SpaceKey = 'ENG' | 'OPS' | 'PEOPLE' | 'RETAIL' | '~ebrightwell' | 'OLD'

export interface CommentSpec {
  body: string
  kind?: 'footer' | 'inline'
  /** The text that an inline comment refers to. */
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

/** A page of the sample wiki. Its id is derived from its slug, so slugs must never change. */
export interface PageSpec {
  slug: string
  space: SpaceKey
  title: string
  /** Slug of the parent page; absent: the home page of the space. */
  parent?: string
  labels?: readonly string[]
  /** Time of the last edit: days before the tenant's `today`, or a fixed date. */
  edited: number | string
  author?: number
  body: string
  comments?: readonly CommentSpec[]
  files?: readonly FileSpec[]
}

/** All pages of the sample wiki, in the tenant's listing order. */
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
