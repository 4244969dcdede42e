import type { BiTenant, SampleReport } from '../../src/sample/bi/tenant.ts'
import { toGuid } from '../../src/sample/ids.ts'
import type { ContentStatus, Version, WikiPage, WikiTenant } from '../../src/sample/wiki/tenant.ts'

// Edits have the same effects as on the platform: an edit of text or title makes a new version; a move or a change of
// owner does not; comments and attachments do not change the version of their page.

function bump(tenant: WikiTenant, item: { version: Version }): void {
  const { number, authorId } = item.version
  item.version = { number: number + 1, createdAt: tenant.markEdited(), authorId }
}

function setStatus(tenant: WikiTenant, id: string, status: ContentStatus): void {
  tenant.getPage(id).status = status
  tenant.markEdited()
}

export function editPage(tenant: WikiTenant, id: string, edit: { body?: string; title?: string }): WikiPage {
  const page = Object.assign(tenant.getPage(id), edit)
  bump(tenant, page)
  return page
}

export function movePage(tenant: WikiTenant, id: string, to: { parentId?: string | null; spaceId?: string }): void {
  Object.assign(tenant.getPage(id), to)
  tenant.markEdited()
}

export function changeOwner(tenant: WikiTenant, id: string, ownerId: string): void {
  tenant.getPage(id).ownerId = ownerId
  tenant.markEdited()
}

/** Moves a page to the trash; its comments and attachments are no longer visible. */
export const deletePage = (tenant: WikiTenant, id: string): void => setStatus(tenant, id, 'trashed')
export const archivePage = (tenant: WikiTenant, id: string): void => setStatus(tenant, id, 'archived')
export const restorePage = (tenant: WikiTenant, id: string): void => setStatus(tenant, id, 'current')

/** Removes a page permanently, as emptying the trash or hiding it from the account does. */
export function purgePage(tenant: WikiTenant, id: string): void {
  tenant.markEdited()
  tenant.pages.delete(id)
  for (const items of [tenant.comments, tenant.attachments]) {
    for (const item of items.values()) if (item.pageId === id) items.delete(item.id)
  }
}

export function editComment(tenant: WikiTenant, id: string, body: string): void {
  const comment = tenant.comments.get(id)
  if (comment === undefined) throw new Error(`the sample wiki has no comment ${id}`)
  comment.body = body
  bump(tenant, comment)
}

/** Deletes a comment and its replies. */
export function deleteComment(tenant: WikiTenant, id: string): void {
  tenant.markEdited()
  tenant.comments.delete(id)
  for (const comment of tenant.comments.values()) if (comment.parentId === id) deleteComment(tenant, comment.id)
}

/** Adds a version of a file, with the same id and title. */
export function replaceAttachment(tenant: WikiTenant, id: string, bytes: Uint8Array): void {
  const attachment = tenant.getAttachment(id)
  bump(tenant, attachment)
  attachment.fileId = toGuid(`file ${id} ${attachment.version.number}`)
  attachment.bytes = () => bytes
  attachment.fileSize = bytes.length
}

export function deleteAttachment(tenant: WikiTenant, id: string): void {
  tenant.getAttachment(id).status = 'trashed'
  tenant.markEdited()
}

function getReport(tenant: BiTenant, id: string) {
  const found = tenant.findReport(id)
  if (found === undefined) throw new Error(`the sample BI tenant has no report ${id}`)
  return found
}

type ReportEdit = Partial<Pick<SampleReport, 'name' | 'description' | 'pages'>>

export function editReport(tenant: BiTenant, id: string, edit: ReportEdit): void {
  const { workspace, report } = getReport(tenant, id)
  Object.assign(report, edit)
  tenant.touch(workspace)
  report.modifiedAt = workspace.modifiedAt
}

export function deleteReport(tenant: BiTenant, id: string): void {
  const { workspace } = getReport(tenant, id)
  workspace.reports = workspace.reports.filter((report) => report.id !== id)
  tenant.touch(workspace)
}
