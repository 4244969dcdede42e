import type { BiTenant, SampleReport } from '../../src/sample/bi/tenant.ts'
import { toGuid } from '../../src/sample/ids.ts'
import type { ContentStatus, WikiPage, WikiTenant } from '../../src/sample/wiki/tenant.ts'

// Edits have the same effects as on the platform: an edit of text or title makes a new version; a move or a change of
// owner does not; comments and attachments do not change the version of their page.

function setStatus(tenant: WikiTenant, id: string, status: ContentStatus): void {
  tenant.getPage(id).status = status
  tenant.markEdited()
}

export function editPage(tenant: WikiTenant, id: string, edit: { body?: string; title?: string }): WikiPage {
  return tenant.revise(tenant.getPage(id), edit)
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
  tenant.versions.delete(id)
  for (const items of [tenant.comments, tenant.attachments]) {
    for (const item of items.values()) {
      if (item.pageId !== id) continue
      items.delete(item.id)
      tenant.versions.delete(item.id)
    }
  }
}

/** Deletes earlier versions of an item, as an administrator may; default: all of them. */
export function deleteVersions(tenant: WikiTenant, id: string, numbers?: readonly number[]): void {
  tenant.markEdited()
  const kept = (tenant.versions.get(id) ?? []).filter(({ version }) => numbers?.includes(version.number) === false)
  tenant.versions.set(id, kept)
}

export function editComment(tenant: WikiTenant, id: string, body: string): void {
  const comment = tenant.comments.get(id)
  if (comment === undefined) throw new Error(`the sample wiki has no comment ${id}`)
  tenant.revise(comment, { body })
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
  const fileId = toGuid(`file ${id} ${attachment.version.number + 1}`)
  tenant.revise(attachment, { fileId, bytes: () => bytes, fileSize: bytes.length })
}

/** Moves a file to the trash. */
export function deleteAttachment(tenant: WikiTenant, id: string): void {
  tenant.getAttachment(id).status = 'trashed'
  tenant.markEdited()
}

export function purgeAttachment(tenant: WikiTenant, id: string): void {
  tenant.markEdited()
  tenant.attachments.delete(id)
  tenant.versions.delete(id)
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
