import { flag, integer, type ParameterRule, type Parameters, type SampleRoute, text } from '../parameters.ts'

/** Routes of the BI platform's API below `/v1.0/myorg`, with all parameters of its contract. */

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const $skip: ParameterRule = { type: 'integer', min: 0 }
const $top: ParameterRule = { type: 'integer', min: 1, max: 5000 }
const adminList: Parameters = { $filter: text, $top, $skip }

export type BiCall =
  | 'groups'
  | 'group'
  | 'groupUsers'
  | 'datasets'
  | 'dataset'
  | 'tables'
  | 'dataSources'
  | 'datasetUsers'
  | 'refreshes'
  | 'parameters'
  | 'query'
  | 'upstreamDataflows'
  | 'reports'
  | 'report'
  | 'pages'
  | 'reportDataSources'
  | 'dashboards'
  | 'dashboard'
  | 'tiles'
  | 'tile'
  | 'dataflows'
  | 'adminGroups'
  | 'adminGroup'
  | 'adminGroupUsers'
  | 'modified'
  | 'startScan'
  | 'scanStatus'
  | 'scanResult'
  | 'adminDatasets'
  | 'adminReports'
  | 'adminDashboards'

export interface BiRoute extends SampleRoute {
  name: BiCall
}

const idsOf = (path: string, textIds: readonly string[]) =>
  Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, textIds.includes(name) ? /^[\w-]+$/ : guid]),
  )

const route = (name: BiCall, method: 'GET' | 'POST', path: string, query: Parameters = {}): BiRoute => ({
  name,
  method,
  path,
  query,
  ids: idsOf(path, ['datasetId']),
})
const get = (name: BiCall, path: string, query: Parameters = {}) => route(name, 'GET', path, query)

/** Routes of a workspace's items; `prefix` is empty for the caller's own workspace. */
const items = (prefix: string): BiRoute[] => [
  get('datasets', `${prefix}/datasets`),
  get('dataset', `${prefix}/datasets/{datasetId}`),
  get('tables', `${prefix}/datasets/{datasetId}/tables`),
  get('dataSources', `${prefix}/datasets/{datasetId}/datasources`),
  get('datasetUsers', `${prefix}/datasets/{datasetId}/users`),
  get('refreshes', `${prefix}/datasets/{datasetId}/refreshes`, { $top: { ...integer, min: 1 } }),
  route('query', 'POST', `${prefix}/datasets/{datasetId}/executeQueries`),
  get('reports', `${prefix}/reports`),
  get('pages', `${prefix}/reports/{reportId}/pages`),
  get('reportDataSources', `${prefix}/reports/{reportId}/datasources`),
  get('dashboards', `${prefix}/dashboards`),
  get('tiles', `${prefix}/dashboards/{dashboardId}/tiles`),
]

export const biRoutes: readonly BiRoute[] = [
  get('groups', '/groups', { $filter: text, $top, $skip }),
  get('group', '/groups/{groupId}'),
  get('groupUsers', '/groups/{groupId}/users', { $top, $skip }),
  get('upstreamDataflows', '/groups/{groupId}/datasets/upstreamDataflows'),
  ...items('/groups/{groupId}'),
  get('parameters', '/groups/{groupId}/datasets/{datasetId}/parameters'),
  get('report', '/groups/{groupId}/reports/{reportId}'),
  get('dashboard', '/groups/{groupId}/dashboards/{dashboardId}'),
  get('tile', '/groups/{groupId}/dashboards/{dashboardId}/tiles/{tileId}'),
  get('dataflows', '/groups/{groupId}/dataflows'),
  ...items(''),
  get('adminGroups', '/admin/groups', {
    $expand: text,
    $filter: text,
    $top: { ...$top, required: true },
    $skip,
  }),
  get('adminGroup', '/admin/groups/{groupId}', { $expand: text }),
  get('adminGroupUsers', '/admin/groups/{groupId}/users'),
  get('modified', '/admin/workspaces/modified', {
    modifiedSince: text,
    excludePersonalWorkspaces: flag,
    excludeInActiveWorkspaces: flag,
  }),
  route('startScan', 'POST', '/admin/workspaces/getInfo', {
    lineage: flag,
    datasourceDetails: flag,
    datasetSchema: flag,
    datasetExpressions: flag,
    getArtifactUsers: flag,
  }),
  get('scanStatus', '/admin/workspaces/scanStatus/{scanId}'),
  get('scanResult', '/admin/workspaces/scanResult/{scanId}'),
  get('adminDatasets', '/admin/datasets', adminList),
  get('adminReports', '/admin/reports', adminList),
  get('adminDashboards', '/admin/dashboards', { ...adminList, $expand: text }),
]
