import { assetKinds, type SourceCoverage } from '../connector.ts'
import { isRefusal } from '../failure.ts'
import type { WikiConfig } from './config.ts'
import type { WikiContent } from './content.ts'
import { type Capability, kindOf, listSwitchedOff } from './crawl-context.ts'

/** What the API lists only as parents of pages, so that those with a page below them can be counted. */
const seenAsParents = ['whiteboard', 'database', 'embed'] as const

/** What a session has read, and what it could not. */
export interface CoverageNotes {
  denied: Set<Capability>
  /** Notes the parents of listed pages. */
  see(contents: readonly WikiContent[]): void
  refuse(what: string, error: unknown): void
  summarize(): SourceCoverage
}

export function createCoverageNotes(config: WikiConfig): CoverageNotes {
  const parents = new Map(seenAsParents.map((type) => [type as string, new Set<string>()]))
  const denied = new Set<Capability>()
  const refused = new Map<string, string>()
  return {
    denied,
    see(contents) {
      for (const { parentType, parentId } of contents) if (parentId) parents.get(parentType ?? '')?.add(parentId)
    },
    refuse(what, error) {
      refused.set(what, isRefusal(error) ? 'refused' : 'failed')
    },
    summarize() {
      const switchedOff = listSwitchedOff(config)
      for (const capability of denied) refused.set(kindOf[capability], 'refused')
      const read = assetKinds
        .filter((kind) => kind.startsWith('wiki.'))
        .map((kind) => {
          const reason = switchedOff.includes(kind) ? 'switched_off' : refused.get(kind)
          return { kind, read: reason === undefined, ...(reason === undefined ? {} : { reason }) }
        })
      const unread = [...parents].map(([kind, { size }]) => ({ kind, count: size }))
      return {
        kinds: [
          ...read,
          ...[...unread, { kind: 'draft' }].map((each) => ({ ...each, read: false, reason: 'not_available' })),
        ],
        refused: [...refused].map(([what, reason]) => ({ what, reason })),
      }
    },
  }
}
