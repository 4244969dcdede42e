import type { AssetDraft } from '../connectors/connector.ts'
import type { UpstreamTally } from '../connectors/http/upstream.ts'
import type { AssetFacts } from '../detectors/detector.ts'
import type { AssayDocument } from '../documents/document.ts'
import type { Log } from '../runtime/log.ts'
import type { SourceRecord } from '../sources/model.ts'
import type { Store } from '../store/store.ts'
import type { DetectionResult } from './detection.ts'
import type { ScanLease } from './lease.ts'

export interface DetectRequest {
  asset: AssetFacts
  detectors: readonly { type: string; config: unknown }[]
  /** What must be masked although it may be in no part of the document. */
  values?: readonly string[]
  now: number
}

/** Runs content detectors on one document. */
export type Detect = (document: AssayDocument, request: DetectRequest) => Promise<DetectionResult>

export interface CrossAssetContext {
  lease: ScanLease
  store: Store
  source: SourceRecord
  /** The validated settings of the detector. */
  config: unknown
  /** What the configuration excludes: absence of such assets or scopes proves nothing. */
  leavesOut: { kinds: readonly AssetDraft['kind'][]; scopes: boolean }
  fingerprintKey: Uint8Array
  log: Log
  now: () => number
  upstream?: UpstreamTally | undefined
}

/**
 * A detector that needs the stored assets of the source; it writes its findings through the lease, and can be
 * interrupted.
 */
export interface CrossAssetCheck {
  type: string
  evaluate(context: CrossAssetContext): Promise<void>
}
