import type { DashboardAnswer } from '../dashboards/evaluation.ts'
import type { FindingDetail, FindingStatus } from '../findings/model.ts'
import type { GlossaryTermItem } from '../glossary/model.ts'
import type { Fix, Suggestion } from '../kernel/errors.ts'
import type { Metric, MetricDetail } from '../metrics/view.ts'
import type { Proposal, ProposalItem, ProposalStatus } from '../proposals/model.ts'
import type { Impact } from '../query/impact-model.ts'
import type { TestedMetrics } from '../query/metric-test-runs.ts'
import type { MetricAnswer, SeriesAnswer, SeriesQuestion } from '../query/model.ts'
import type { ViewAnswer } from '../query/view-model.ts'
import type { Scan, ScanItem } from '../scans/model.ts'
import type { Source } from '../sources/model.ts'
import type { Watch } from '../watches/view.ts'
import type {
  ConsoleSession,
  DuePolicy,
  FindingList,
  FoundPlaces,
  Imported,
  MetricVersionItem,
  Page,
  PageQuestion,
  SourceTestStep,
  TermPage,
  Triaged,
  WatchPage,
} from './model.ts'
import { findForm, type OpenApi, type OperationForm } from './schema.ts'

/** What the server answered instead of a result, or that it did not answer. */
export class ServerProblem extends Error {
  readonly status: number
  readonly reason: string | undefined
  /** What is wrong with which member of the input. */
  readonly issues: readonly { path: string; message: string }[]
  readonly suggestions: readonly Suggestion[]
  /** The same call, corrected. */
  readonly fix: Fix | undefined
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined

  constructor(status: number, body: Record<string, unknown>, retryAfter?: number) {
    super(typeof body.detail === 'string' ? body.detail : 'The server does not answer.')
    this.status = status
    this.reason = typeof body.reason === 'string' ? body.reason : undefined
    this.issues = Array.isArray(body.issues) ? body.issues : []
    this.suggestions = Array.isArray(body.suggestions) ? body.suggestions : []
    this.fix = typeof body.fix === 'object' ? (body.fix as Fix) : undefined
    this.retryAfter = retryAfter
  }
}

export const toProblem = (error: unknown): ServerProblem =>
  error instanceof ServerProblem ? error : new ServerProblem(-1, { detail: String(error) })

const TOKEN = 'assay.token'
export const readToken = (): string | null => sessionStorage.getItem(TOKEN)
export const keepToken = (token: string): void => sessionStorage.setItem(TOKEN, token)
export const forgetToken = (): void => sessionStorage.removeItem(TOKEN)

type Body = object | Blob | undefined

async function send(method: string, path: string, body: Body, signal?: AbortSignal): Promise<unknown> {
  const token = readToken()
  const request: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(body === undefined
        ? {}
        : { 'content-type': body instanceof Blob ? 'application/x-ndjson' : 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  }
  let response: Response
  try {
    response = await fetch(path, request)
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ServerProblem(0, {})
  }
  const answer = (await response.json().catch((error: unknown) => {
    // An answer that was cut, or that is not needed any more, is none.
    if (response.ok) throw signal?.aborted ? error : new ServerProblem(0, {})
    return {}
  })) as Record<string, unknown>
  if (response.ok) return answer
  const wait = Number(response.headers.get('retry-after'))
  throw new ServerProblem(response.status, answer, wait > 0 ? wait : undefined)
}

type Parameters = Record<string, string | number | boolean | readonly string[] | undefined>

/** Repeats a key for each of its values, as a value may contain a comma. */
export function toQuery(parameters: Parameters): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(parameters)) {
    const values = Array.isArray(value) ? value : value === undefined ? [] : [value]
    // A single value with a comma would be read as a list.
    const isSplit = values.length === 1 && String(values[0]).includes(',')
    for (const each of isSplit ? [...values, ...values] : values) query.append(key, String(each))
  }
  const text = query.toString()
  return text === '' ? '' : `?${text}`
}

const get = <Answer>(path: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<Answer> =>
  send('GET', `${path}${toQuery(parameters)}`, undefined, signal) as Promise<Answer>
const post = <Answer>(path: string, body: object, signal?: AbortSignal): Promise<Answer> =>
  send('POST', path, body, signal) as Promise<Answer>

const at = encodeURIComponent

let openApi: Promise<OpenApi> | undefined

/** The operations that the console calls. */
export const client = {
  /** Where an operation is called and what it takes, as the server publishes it. */
  async getForm(operation: string): Promise<OperationForm> {
    openApi ??= get<OpenApi>('/openapi.json')
    try {
      const form = findForm(await openApi, operation)
      if (form !== undefined) return form
    } catch (error) {
      openApi = undefined
      throw error
    }
    throw new ServerProblem(404, { detail: `This server does not offer ${operation}.` })
  },
  callForm: <Answer>(
    { method, path }: OperationForm,
    named: Readonly<Record<string, string>>,
    body: object,
    signal?: AbortSignal,
  ) =>
    send(
      method,
      path.replaceAll(/\{(\w+)\}/g, (_, name: string) => at(named[name] ?? '')),
      body,
      signal,
    ) as Promise<Answer>,
  /** What a change of a metric or of a term would do; the slug is in the path. */
  async getImpact(operation: string, { slug, ...change }: object & { slug?: unknown }, signal?: AbortSignal) {
    return client.callForm<Impact>(await client.getForm(operation), { slug: String(slug) }, change, signal)
  },
  previewTests: (metric: string, signal?: AbortSignal) =>
    post<TestedMetrics>('/semantic/tests/preview', { metrics: [metric] }, signal),
  getSession: (signal?: AbortSignal) => get<ConsoleSession>('/session', {}, signal),
  listMetrics: (signal?: AbortSignal) => get<Page<Metric>>('/semantic/metrics', { limit: 500 }, signal),
  getMetric: (slug: string, signal?: AbortSignal) => get<MetricDetail>(`/semantic/metrics/${at(slug)}`, {}, signal),
  listTerms: (signal?: AbortSignal) => get<Page<GlossaryTermItem>>('/semantic/glossary', { limit: 500 }, signal),
  queryDashboard: (question: object, signal?: AbortSignal) =>
    post<DashboardAnswer>('/semantic/query/dashboard', question, signal),
  queryMetric: (question: object, signal?: AbortSignal) => post<MetricAnswer>('/semantic/query', question, signal),
  querySeries: (question: SeriesQuestion, signal?: AbortSignal) =>
    post<SeriesAnswer>('/semantic/query/timeseries', question, signal),
  listDashboards: (signal?: AbortSignal) => get<Page<{ name: string }>>('/semantic/dashboards', {}, signal),
  exploreView: (question: PageQuestion, signal?: AbortSignal) =>
    post<ViewAnswer>('/semantic/query/view', question, signal),
  searchFindings: (parameters: Parameters, signal?: AbortSignal) => get<FindingList>('/findings', parameters, signal),
  getFinding: (id: string, signal?: AbortSignal) => get<FindingDetail>(`/findings/${at(id)}`, {}, signal),
  triageFindings: (body: {
    ids?: readonly string[]
    filters?: object
    search?: string
    status: FindingStatus
    reason?: string
    until?: string | undefined
    expectedStatus?: FindingStatus
    expectedCount?: number
  }) => post<Triaged>('/findings/triage', body),
  findValue: (identifiers: readonly string[]) => post<FoundPlaces>('/findings/find-value', { identifiers }),
  importFindings: (file: Blob, request: Parameters) =>
    send('POST', `/findings/import${toQuery(request)}`, file) as Promise<Imported>,
  /** Imports the findings that the server invents, to try it with. */
  async importDemo(): Promise<Imported> {
    const response = await fetch('/console/demo.ndjson').catch(() => undefined)
    if (response?.ok !== true) throw new ServerProblem(0, {})
    return client.importFindings(await response.blob(), { source: 'sample-history', format: 'ndjson' })
  },
  listSources: (signal?: AbortSignal) => get<{ items: Source[] }>('/sources', {}, signal),
  getSource: (name: string, signal?: AbortSignal) => get<Source>(`/sources/${at(name)}`, {}, signal),
  testSource: (name: string) => post<{ steps: readonly SourceTestStep[] }>(`/sources/${at(name)}/test`, {}),
  startScan: (name: string) => post<Scan>(`/sources/${at(name)}/scans`, {}),
  listScans: (source: string, signal?: AbortSignal) =>
    get<{ items: ScanItem[] }>('/scans', { source, limit: 10 }, signal),
  listRecentScans: async (signal?: AbortSignal): Promise<readonly ScanItem[]> =>
    (await get<{ items: ScanItem[] }>('/scans', { limit: 100 }, signal)).items,
  listActiveScans: async (signal?: AbortSignal): Promise<readonly ScanItem[]> => {
    const lists = await Promise.all(
      ['RUNNING', 'QUEUED'].map((status) => get<{ items: ScanItem[] }>('/scans', { status, limit: 100 }, signal)),
    )
    return lists.flatMap(({ items }) => items)
  },
  /** Runs an operation that is named by its path alone. */
  call: <Answer>(method: string, path: string, body?: object, signal?: AbortSignal) =>
    send(method, path, body, signal) as Promise<Answer>,
  getScan: (id: string, waitSeconds: number, signal?: AbortSignal) =>
    get<Scan>(`/scans/${at(id)}`, { waitSeconds, waitFor: 'progress' }, signal),
  getTerm: (slug: string, signal?: AbortSignal) => get<TermPage>(`/semantic/glossary/${at(slug)}`, {}, signal),
  countTerm: (slug: string, signal?: AbortSignal) =>
    post<{ count: number }>(`/semantic/glossary/${at(slug)}/preview`, {}, signal),
  listVersions: (slug: string, signal?: AbortSignal) =>
    get<{ items: MetricVersionItem[] }>(`/semantic/metrics/${at(slug)}/versions`, {}, signal),
  certifyMetric: (slug: string) => post<Metric>(`/semantic/metrics/${at(slug)}/certify`, {}),
  listDuePolicies: (signal?: AbortSignal) => get<{ policies: DuePolicy[] }>('/semantic/sla', {}, signal),
  listProposals: (status: ProposalStatus | undefined, signal?: AbortSignal) =>
    get<{ items: ProposalItem[] }>('/proposals', { status, limit: 500 }, signal),
  getProposal: (id: string, signal?: AbortSignal) => get<Proposal>(`/proposals/${at(id)}`, {}, signal),
  approveProposal: (id: string, body: { reason?: string }) => post<object>(`/proposals/${at(id)}/approve`, body),
  rejectProposal: (id: string, body: { reason?: string }) => post<object>(`/proposals/${at(id)}/reject`, body),
  listWatches: (signal?: AbortSignal) => get<{ items: Watch[] }>('/semantic/watches', {}, signal),
  getWatch: (slug: string, signal?: AbortSignal) => get<WatchPage>(`/semantic/watches/${at(slug)}`, {}, signal),
  checkWatches: (watches?: readonly string[]) =>
    post<{ items: Watch[] }>('/semantic/watches/check', watches === undefined ? {} : { watches }),
  cancelScan: (id: string) => post<Scan>(`/scans/${at(id)}/cancel`, {}),
}
