import type { SourceDetector } from '../../src/detectors/detector.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import type { CrossAssetCheck } from '../../src/scans/cross-asset-check.ts'
import { type FakeTenant, pluginsFor } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const fingerprint = createFingerprinter(new Uint8Array(32))

/** A workbench whose source is looked over by one detector of the whole estate. */
export async function openEstateBench(
  tenant: FakeTenant,
  { detector, step }: { detector: SourceDetector; step: CrossAssetCheck },
): Promise<Workbench> {
  const { connectors, detectors } = pluginsFor(tenant)
  const bench = openWorkbench(tenant, {
    extra: findingOperations,
    detect: async (document, request) => runRequest(document, request, { fingerprint }),
    plugins: { connectors, detectors: [...detectors, detector] },
    estate: [step],
  })
  await createFake(bench, { detectors: [{ type: detector.type }] })
  return bench
}
