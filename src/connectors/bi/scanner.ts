import { setTimeout as sleep } from 'node:timers/promises'
import type { UnreadSection } from '../../documents/section.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { endsScan, isRefusal } from '../failure.ts'
import type { HttpClient } from '../http/transport.ts'
import { lacksExpressions, listBareGaps, listSourceGaps } from './gaps.ts'
import type { DataSource, ScanAnswer, ScannedWorkspace } from './model.ts'
import { defined, toDashboard, toDataSource, toDataset, toReport } from './read.ts'
import { type Item, toItem } from './wire.ts'

export interface Scanner {
  find(workspaceId: string): Promise<ScanAnswer>
  /** Moves workspaces that are unlikely to be requested into separate batches, after the others. */
  putOff(workspaceIds: ReadonlySet<string>): void
  /** Frees the cached result of a workspace. */
  release(workspaceId: string): void
}

const WORKSPACES_PER_SCAN = 100
const scanIdShape = /^[\w-]{1,100}$/
const pollDelaysMs = [200, 500, 1000, 2000, 5000, 10_000, 20_000]
const POLL_DELAY_MS = 30_000
const GIVE_UP_MS = 600_000

function toScannedWorkspace(
  item: Item,
  dataSources: ReadonlyMap<string, DataSource>,
  sourceGaps: UnreadSection[],
  { hasSchema, isWithheld }: { hasSchema: boolean; isWithheld: boolean },
): ScannedWorkspace {
  const toScannedDataset = (dataset: Item) => {
    const { unread, ...rest } = toDataset(dataset, dataSources, isWithheld)
    return { ...rest, unread: [...unread, ...(hasSchema ? listBareGaps(dataset) : [])] }
  }
  return {
    ...defined<ScannedWorkspace>({
      description: item.text('description'),
      datasets: item.list('datasets')?.map(toScannedDataset),
      reports: item.list('reports')?.map(toReport),
      dashboards: item.list('dashboards')?.map((dashboard) => toDashboard(dashboard, true)),
    }),
    sourceGaps,
  }
}

/**
 * Runs metadata scans over batches of workspaces, each when one of its workspaces is first requested. For an account
 * without admin rights, every answer is `missing` after one refused call.
 */
export function createScanner(options: {
  client: HttpClient
  workspaceIds: readonly string[]
  schema: boolean
  /** Whether sources and dependencies of datasets are asked for. */
  lineage?: boolean
  users: boolean
  /** Receives each workspace as the platform reports it. */
  onWorkspace?: (id: string, workspace: Item) => void
  signal: AbortSignal
  log: Log
}): Scanner {
  const { client, signal, log } = options
  const answers = new Map<string, ScanAnswer>()
  let off: { missing: string; temporary: boolean } | undefined
  let running: Promise<void> = Promise.resolve()

  const toBatches = (ids: readonly string[]) =>
    Array.from({ length: Math.ceil(ids.length / WORKSPACES_PER_SCAN) }, (_, at) =>
      ids.slice(at * WORKSPACES_PER_SCAN, (at + 1) * WORKSPACES_PER_SCAN),
    )
  let batches = toBatches(options.workspaceIds)

  async function start(ids: readonly string[]): Promise<string> {
    const flag = (on: boolean) => (on ? 'true' : 'false')
    const { body } = await client.json<unknown>({
      method: 'POST',
      path: '/admin/workspaces/getInfo',
      query: {
        lineage: flag(options.lineage ?? true),
        datasourceDetails: flag(options.lineage ?? true),
        datasetSchema: flag(options.schema),
        datasetExpressions: flag(options.schema),
        getArtifactUsers: flag(options.users),
      },
      body: { workspaces: ids },
    })
    const id = toItem(body).text('id')
    if (id === undefined || !scanIdShape.test(id)) {
      throw new AppError('unavailable', 'The metadata scan did not start; try again later.', {
        reason: 'protocol_error',
      })
    }
    return id
  }

  /**
   * True once the result is ready, false where the metadata scan failed.
   * @throws AppError `unavailable`, reason `scan_stuck`, where it does not end within GIVE_UP_MS
   */
  async function finish(scanId: string): Promise<boolean> {
    const until = performance.now() + GIVE_UP_MS
    for (let poll = 0; performance.now() < until; poll++) {
      const { body } = await client.json<unknown>({ path: `/admin/workspaces/scanStatus/${scanId}` })
      const state = toItem(body)
      const status = state.text('status') ?? ''
      if (state.item('error') !== undefined || /fail/i.test(status)) return false
      if (/^succeeded$/i.test(status)) return true
      await sleep(pollDelaysMs[poll] ?? POLL_DELAY_MS, undefined, { signal })
    }
    // Not split into halves, because each half would wait as long again.
    throw new AppError('unavailable', 'The metadata scan did not finish in time; try again later.', {
      reason: 'scan_stuck',
    })
  }

  async function fetchResult(scanId: string): Promise<Item | 'failed'> {
    if (!(await finish(scanId))) return 'failed'
    const { body } = await client.json<unknown>({ path: `/admin/workspaces/scanResult/${scanId}` })
    return toItem(body)
  }

  function keep(ids: readonly string[], result: Item): void {
    const instances = [...result.items('datasourceInstances'), ...result.items('misconfiguredDatasourceInstances')]
    const dataSources = new Map(instances.map((source) => [source.id('datasourceId') ?? '', toDataSource(source)]))
    const sourceGaps = listSourceGaps(instances)
    const datasets = result.items('workspaces').flatMap((workspace) => workspace.items('datasets'))
    const requested = { hasSchema: options.schema, isWithheld: options.schema && lacksExpressions(datasets) }
    const found = new Map(result.items('workspaces').map((item) => [item.id('id') ?? '', item]))
    for (const id of ids) {
      const item = found.get(id)
      if (item !== undefined) options.onWorkspace?.(id, item)
      answers.set(
        id,
        item === undefined
          ? { missing: 'not_in_scan_result', temporary: false }
          : { workspace: toScannedWorkspace(item, dataSources, sourceGaps, requested) },
      )
    }
  }

  /** A failed metadata scan is split into halves and retried, so that one bad workspace does not affect the others. */
  async function scan(ids: readonly string[]): Promise<void> {
    try {
      const result = await fetchResult(await start(ids))
      if (result !== 'failed') return keep(ids, result)
    } catch (error) {
      const reason = error instanceof AppError ? error.facts.reason : undefined
      if (reason !== 'too_large' && reason !== 'gone') throw error
    }
    if (ids.length === 1) {
      for (const id of ids) answers.set(id, { missing: 'scan_failed', temporary: true })
      return
    }
    const middle = Math.ceil(ids.length / 2)
    await scan(ids.slice(0, middle))
    await scan(ids.slice(middle))
  }

  async function scanWith(workspaceId: string): Promise<void> {
    const batch = batches.find((ids) => ids.includes(workspaceId))
    if (off !== undefined || batch === undefined || answers.has(workspaceId)) return
    try {
      await scan(batch)
    } catch (error) {
      signal.throwIfAborted()
      const refused = isRefusal(error) || (error instanceof AppError && error.facts.reason?.startsWith('auth_'))
      if (!refused && endsScan(error)) throw error
      off = { missing: refused ? 'admin_api_forbidden' : 'admin_api_unavailable', temporary: !refused }
      log.info('metadata scan is not available', { reason: off.missing })
    }
  }

  return {
    putOff(workspaceIds) {
      const isExpected = (id: string) => !workspaceIds.has(id)
      const [first, later] = [options.workspaceIds.filter(isExpected), [...workspaceIds]]
      batches = [...toBatches(first), ...toBatches(later)]
    },
    async find(workspaceId) {
      running = running.then(() => scanWith(workspaceId))
      await running
      return answers.get(workspaceId) ?? off ?? { missing: 'not_in_scan_result', temporary: false }
    },
    release(workspaceId) {
      const answer = answers.get(workspaceId)
      if (answer !== undefined && 'workspace' in answer) {
        answers.set(workspaceId, { missing: 'released', temporary: true })
      }
    },
  }
}
