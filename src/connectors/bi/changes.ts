import { createHash } from 'node:crypto'
import { assetKinds, type Batch, type CrawlRequest, type ReadingRecord, type ReadingUpdate } from '../connector.ts'
import type { BiApi } from './api.ts'
import type { LoadedContent } from './content.ts'
import { judge } from './failure.ts'
import type { BiDashboard, BiReport, Dataset, Workspace } from './model.ts'

const HOUR_MS = 3_600_000
const WEEK_MS = 7 * 24 * HOUR_MS
/** An edit may take half an hour to reach the list of changed workspaces, and the list takes no later time. */
const MAX_LAG_MS = HOUR_MS

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** What the platform's times do not show is read again once a week, each workspace at an hour of its own. */
export function isDue(workspaceId: string, readAt: number, now: number): boolean {
  const phase = Number.parseInt(digest(workspaceId).slice(0, 8), 16) % WEEK_MS
  const turn = (at: number) => Math.floor((at + phase) / WEEK_MS)
  return now < readAt || turn(now) !== turn(readAt)
}

const toWorkspaceMark = (settings: string, { id, name, kind, member }: Workspace, isScanned: boolean) =>
  `${digest([settings, id, name, kind, member])} ${isScanned ? 'scanned' : 'listed'}`

/** What of one workspace is to be read. */
export interface Revisit {
  /**
   * Reads an item, unless the platform's time says that it is as it was. One without a time is read once a week, unless
   * an administrator's list tells that its workspace was edited.
   */
  read<T extends object>(
    item: BiReport | Dataset | BiDashboard,
    key: string,
    read: () => Promise<T>,
  ): Promise<(T & { readings?: ReadingUpdate[] }) | { assets: []; unchanged?: string[]; deferred?: string[] }>
  /** How many items were not read although the platform tells no time of them. */
  deferred(): number
  /** What is kept of the workspace once all of it was listed. */
  conclude(): ReadingUpdate[]
}

const bi = assetKinds.filter((kind) => kind.startsWith('bi.'))

/**
 * Tells which workspaces and items need not be read again. `settings`: all that decides what is read of an item beside
 * the item itself.
 */
export function createChangeCheck(options: {
  api: BiApi
  workspaces: readonly Workspace[]
  settings: unknown
  now: () => number
  /** Told, before anything is read, which workspaces are as they were. */
  onUnchanged: (ids: ReadonlySet<string>) => void
}) {
  const { api, workspaces, now } = options
  const settings = digest(options.settings)
  let found: Promise<ReadonlySet<string>> | undefined

  /** Ids of the workspaces in which nothing was edited since they were read. */
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
    /** The only batch of a workspace in which nothing was edited; undefined where it is to be listed. */
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

    revisit(workspace: Workspace, content: LoadedContent, request: CrawlRequest): Revisit {
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
