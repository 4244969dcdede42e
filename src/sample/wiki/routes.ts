import {
  flag,
  integer,
  listOf,
  oneOf,
  type ParameterRule,
  type Parameters,
  type SampleRoute,
  text,
  texts,
} from '../parameters.ts'

/** Routes of the wiki's v2 API below `/wiki/api/v2`, with all parameters of its contract. */

const digits = /^\d{1,19}$/
const attachmentId = /^att\d{1,19}$/
const cursor = text
const limit: ParameterRule = { type: 'integer', min: 1, max: 250 }
const page: Parameters = { cursor, limit }
const bodyFormat = oneOf('storage', 'atlas_doc_format')
const singleBodyFormat = oneOf(
  'storage',
  'atlas_doc_format',
  'view',
  'export_view',
  'anonymous_export_view',
  'styled_view',
  'editor',
)
const dateSort = oneOf('created-date', '-created-date', 'modified-date', '-modified-date')
const pageSort = oneOf(
  'id',
  '-id',
  'created-date',
  '-created-date',
  'modified-date',
  '-modified-date',
  'title',
  '-title',
)
const pageStatus = listOf('current', 'archived', 'deleted', 'trashed')
const versionSort = oneOf('modified-date', '-modified-date')
const blogPostSort = oneOf('id', '-id', 'created-date', '-created-date', 'modified-date', '-modified-date')
const blogPostStatus = listOf('current', 'deleted', 'trashed')
const ids = (maxItems: number): ParameterRule => ({ type: 'integer', list: true, maxItems })
const attachmentQuery: Parameters = {
  ...page,
  sort: dateSort,
  status: listOf('current', 'archived', 'trashed'),
  mediaType: text,
  filename: text,
}
const commentStatus = listOf('current', 'archived', 'trashed', 'deleted', 'historical', 'draft')
const commentQuery: Parameters = { ...page, 'body-format': bodyFormat, sort: dateSort }
const singleComment: Parameters = {
  'body-format': singleBodyFormat,
  version: integer,
  'include-properties': flag,
  'include-operations': flag,
  'include-likes': flag,
  'include-versions': flag,
  'include-version': flag,
}

export interface WikiRoute extends SampleRoute {
  name: WikiCall
}

export type WikiCall =
  | 'spaces'
  | 'space'
  | 'spacePages'
  | 'spaceLabels'
  | 'pages'
  | 'page'
  | 'pageLabels'
  | 'pageChildren'
  | 'pageAttachments'
  | 'pageFooterComments'
  | 'pageInlineComments'
  | 'attachments'
  | 'attachment'
  | 'footerComments'
  | 'inlineComments'
  | 'footerComment'
  | 'inlineComment'
  | 'footerReplies'
  | 'inlineReplies'
  | 'users'
  | 'labels'
  | 'labelPages'
  | 'pageAncestors'
  | 'pageVersions'
  | 'contentTypes'
  | 'blogPosts'
  | 'spaceBlogPosts'

const get = (name: WikiCall, path: string, query: Parameters, pathIds?: Record<string, RegExp>): WikiRoute => ({
  name,
  method: 'GET',
  path,
  query,
  ...(pathIds === undefined ? {} : { ids: pathIds }),
})
const byId = { id: digits }

export const wikiRoutes: readonly WikiRoute[] = [
  get('spaces', '/spaces', {
    ...page,
    ids: ids(250),
    keys: { ...texts, maxItems: 250 },
    type: oneOf('global', 'collaboration', 'knowledge_base', 'personal', 'system', 'onboarding', 'xflow_sample_space'),
    status: oneOf('current', 'archived'),
    labels: texts,
    'favorited-by': text,
    'not-favorited-by': text,
    sort: oneOf('id', '-id', 'key', '-key', 'name', '-name'),
    'description-format': oneOf('plain', 'view'),
    'include-icon': flag,
  }),
  get(
    'space',
    '/spaces/{id}',
    {
      'description-format': oneOf('plain', 'view'),
      'include-icon': flag,
      'include-operations': flag,
      'include-properties': flag,
      'include-permissions': flag,
      'include-role-assignments': flag,
      'include-labels': flag,
    },
    byId,
  ),
  get(
    'spacePages',
    '/spaces/{id}/pages',
    {
      ...page,
      depth: oneOf('all', 'root'),
      sort: pageSort,
      status: pageStatus,
      title: text,
      'body-format': bodyFormat,
    },
    byId,
  ),
  get('spaceLabels', '/spaces/{id}/labels', { ...page, prefix: oneOf('my', 'team'), sort: text }, byId),
  get('pages', '/pages', {
    ...page,
    id: ids(250),
    'space-id': ids(100),
    sort: pageSort,
    status: pageStatus,
    title: text,
    'body-format': bodyFormat,
  }),
  get(
    'page',
    '/pages/{id}',
    {
      'body-format': singleBodyFormat,
      'get-draft': flag,
      status: listOf('current', 'archived', 'trashed', 'deleted', 'historical', 'draft'),
      version: integer,
      'include-labels': flag,
      'include-properties': flag,
      'include-operations': flag,
      'include-likes': flag,
      'include-versions': flag,
      'include-version': flag,
      'include-favorited-by-current-user-status': flag,
      'include-webresources': flag,
    },
    byId,
  ),
  get(
    'pageLabels',
    '/pages/{id}/labels',
    { ...page, prefix: oneOf('my', 'team', 'global', 'system'), sort: text },
    byId,
  ),
  get('pageChildren', '/pages/{id}/children', { ...page, sort: text }, byId),
  get('pageAttachments', '/pages/{id}/attachments', attachmentQuery, byId),
  get('pageFooterComments', '/pages/{id}/footer-comments', { ...commentQuery, status: commentStatus }, byId),
  get(
    'pageInlineComments',
    '/pages/{id}/inline-comments',
    {
      ...commentQuery,
      status: commentStatus,
      'resolution-status': listOf('resolved', 'open', 'dangling', 'reopened'),
    },
    byId,
  ),
  get('attachments', '/attachments', attachmentQuery),
  get(
    'attachment',
    '/attachments/{id}',
    {
      version: integer,
      'include-labels': flag,
      'include-properties': flag,
      'include-operations': flag,
      'include-versions': flag,
      'include-version': flag,
    },
    { id: attachmentId },
  ),
  get('footerComments', '/footer-comments', commentQuery),
  get('inlineComments', '/inline-comments', commentQuery),
  get('footerComment', '/footer-comments/{comment-id}', singleComment, { 'comment-id': digits }),
  get('inlineComment', '/inline-comments/{comment-id}', singleComment, { 'comment-id': digits }),
  get('footerReplies', '/footer-comments/{id}/children', commentQuery, byId),
  get('inlineReplies', '/inline-comments/{id}/children', commentQuery, byId),
  get('labels', '/labels', { ...page, 'label-id': ids(250), prefix: texts, sort: text }),
  get(
    'labelPages',
    '/labels/{id}/pages',
    { ...page, 'space-id': ids(100), 'body-format': bodyFormat, sort: pageSort },
    byId,
  ),
  get('pageAncestors', '/pages/{id}/ancestors', { limit }, byId),
  get('pageVersions', '/pages/{id}/versions', { ...page, 'body-format': bodyFormat, sort: versionSort }, byId),
  get('blogPosts', '/blogposts', {
    ...page,
    id: ids(250),
    'space-id': ids(100),
    sort: blogPostSort,
    status: blogPostStatus,
    title: text,
    'body-format': bodyFormat,
  }),
  get(
    'spaceBlogPosts',
    '/spaces/{id}/blogposts',
    { ...page, sort: blogPostSort, status: blogPostStatus, title: text, 'body-format': bodyFormat },
    byId,
  ),
  { name: 'users', method: 'POST', path: '/users-bulk', query: {} },
  { name: 'contentTypes', method: 'POST', path: '/content/convert-ids-to-types', query: {} },
]

/** Routes outside the v2 API, from the root of the host. */
export const downloadRoute: SampleRoute = {
  method: 'GET',
  path: '/wiki/rest/api/content/{id}/child/attachment/{attachmentId}/download',
  query: { version: integer, status: texts },
  ids: { id: digits, attachmentId },
}
export const currentUserRoute: SampleRoute = { method: 'GET', path: '/wiki/rest/api/user/current', query: {} }
export const tenantInfoRoute: SampleRoute = { method: 'GET', path: '/_edge/tenant_info', query: {} }
