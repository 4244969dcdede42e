import type { UnreadReason } from '../../documents/section.ts'
import { assetKinds, type SourceCoverage } from '../connector.ts'
import type { WikiConfig } from './config.ts'
import { type Capability, kindOf, listSwitchedOff } from './crawl-context.ts'

/** Kinds of content that the API does not return. */
const unreadable = ['whiteboard', 'database', 'embed', 'draft']

/** What a session has read, and what it could not. */
export interface CoverageNotes {
  denied: Set<Capability>
  miss(what: string, reason: UnreadReason): void
  summarize(): SourceCoverage
}

export function createCoverageNotes(config: WikiConfig): CoverageNotes {
  const denied = new Set<Capability>()
  const refused = new Map<string, string>()
  return {
    denied,
    miss: (what, reason) => void refused.set(what, reason),
    summarize() {
      for (const capability of denied) refused.set(kindOf[capability], 'refused')
      const reasons = new Map(refused)
      for (const kind of listSwitchedOff(config)) reasons.set(kind, 'switched_off')
      for (const kind of unreadable) reasons.set(kind, 'not_available')
      const kinds = [...assetKinds.filter((kind) => kind.startsWith('wiki.')), ...unreadable]
      return {
        kinds: kinds.map((kind) => {
          const reason = reasons.get(kind)
          return reason === undefined ? { kind, read: true } : { kind, read: false, reason }
        }),
        refused: [...refused].map(([what, reason]) => ({ what, reason })),
      }
    },
  }
}
