import { hash } from 'node:crypto'
import { assetKinds, type Batch, type CrawlRequest, type ReadingRecord, type ReadingUpdate } from '../connector.ts'
import type { BiApi } from './api.ts'
import type { LoadedContent } from './content.ts'
import { judge } from './failure.ts'
import type { BiDashboard, BiReport, Dataset, Workspace } from './model.ts'

const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
/**
 * An edit can take 30 minutes to appear in the list of modified workspaces, which only accepts times at least an hour
 * ago.
 */
const MAX_LAG_MS = HOUR_MS

const digest = (value: unknown) => hash('sha256', JSON.stringify(value))

/**
 * Whether the weekly re-read of content without modification times is due; each workspace has its own time of the week.
 */
export function isDue(workspaceId: string, readAt: number, now: number): boolean {
  const phase = Number.parseInt(digest(workspaceId).slice(0, 8), 16) % WEEK_MS
  const turn = (at: number) => Math.floor((at + phase) / WEEK_MS)
  return now < readAt || turn(now) !== turn(readAt)
}

const toWorkspaceMark = (settings: string, { id, name, kind, member }: Workspace, isScanned: boolean) =>
  `${digest([settings, id, name, kind, member])} ${isScanned ? 'scanned' : 'listed'}`

/** Decides which items of one workspace to read. */
export interface WorkspaceChanges {
  /**
   * Reads an item unless its modification time shows that it is unchanged. An item without one is read once a week, or
   * whenever the admin API lists its workspace as modified.
   */
  read<T extends object>(
    item: BiReport | Dataset | BiDashboard,
    key: string,
    read: () => Promise<T>,
  ): Promise<(T & { readings?: ReadingUpdate[] }) | { assets: []; unchanged?: string[]; deferred?: string[] }>
  /** Number of items without a modification time that were not read. */
  deferred(): number
  /** The reading to store for the workspace after all of it was listed; empty where the listing has gaps. */
  conclude(): ReadingUpdate[]
}

const bi = assetKinds.filter((kind) => kind.startsWith('bi.'))

/**
 * Determines which workspaces and items need not be read again. `settings`: every setting that affects what is read of
 * an item.
 */
export function createChangeCheck(options: {
  api: BiApi
  workspaces: readonly Workspace[]
  settings: unknown
  now: () => number
  /** Called with the ids of unchanged workspaces before anything is read. */
  onUnchanged: (ids: ReadonlySet<string>) => void
}) {
  const { api, workspaces, now } = options
  const settings = digest(options.settings)
  let found: Promise<ReadonlySet<string>> | undefined

  /** Ids of the workspaces that were not modified since they were last read. */
  async function findUnchanged({ readings }: CrawlRequest): Promise<ReadonlySet<string>> {
    const known = readings?.(workspaces.map(({ id }) => id)) ?? new Map<string, ReadingRecord>()
    const settled = workspaces.flatMap((workspace) => {
      const reading = known.get(workspace.id)
      if (workspace.kind === 'me' || reading === undefined || !reading.isWhole) return []
      if (reading.mark !== toWorkspaceMark(settings, workspace, true)) return []
      return isDue(workspace.id, reading.readAt, now()) ? [] : [{ id: workspace.id, checkedAt: reading.checkedAt }]
    })
    if (settled.length === 0) return new Set()
    const since = Math.min(now(), ...settled.map(({ checkedAt }) => checkedAt)) - MAX_LAG_MS
    try {
      const modified = await api.modifiedWorkspaces(new Date(since).toISOString())
      const unchanged = new Set(settled.map(({ id }) => id).filter((id) => !modified.has(id)))
      options.onUnchanged(unchanged)
      return unchanged
    } catch (error) {
      await judge(error, api.probe)
      return new Set()
    }
  }

  return {
    /** The single batch of a workspace that was not modified; undefined where the workspace must be listed. */
    async skip(workspace: Workspace, request: CrawlRequest): Promise<Batch | undefined> {
      if (request.readings === undefined) return undefined
      found ??= findUnchanged(request).catch((error: unknown) => {
        found = undefined
        throw error
      })
      const unchanged = await found
      if (request.cursor !== undefined || !unchanged.has(workspace.id)) return undefined
      const mark = toWorkspaceMark(settings, workspace, true)
      return {
        assets: [],
        warnings: [],
        cursor: null,
        unlisted: [{ kinds: bi, reason: 'unchanged' }],
        readings: [{ key: workspace.id, mark, isRead: false }],
      }
    },

    revisit(workspace: Workspace, content: LoadedContent, request: CrawlRequest): WorkspaceChanges {
      const last = request.readings?.([workspace.id]).get(workspace.id)
      const isForced = last === undefined || isDue(workspace.id, last.readAt, now())
      const local = digest([...content.local])
      let skipped = 0
      let deferred = 0
      return {
        async read(item, key, read) {
          const hasTime = 'modifiedAt' in item && item.modifiedAt !== undefined
          if (request.readings === undefined || (!hasTime && 'workspace' in content.scan)) return await read()
          const mark = digest([settings, workspace.id, local, item])
          const reading = request.readings([key]).get(key)
          if (!isForced && reading?.isWhole === true && reading.mark === mark) {
            skipped++
            if (hasTime) return { assets: [], unchanged: [key] }
            deferred++
            return { assets: [], deferred: [key] }
          }
          return { ...(await read()), readings: [{ key, mark, isRead: true }] }
        },
        deferred: () => deferred,
        conclude() {
          const { scan } = content
          const isGapless = !content.unreadable && content.unlisted.length === 0
          if (!isGapless || ('missing' in scan && scan.temporary)) return []
          const mark = toWorkspaceMark(settings, workspace, 'workspace' in scan)
          return [{ key: workspace.id, mark, isRead: skipped === 0 && request.cursor === undefined }]
        },
      }
    },
  }
}

export type ChangeCheck = ReturnType<typeof createChangeCheck>
