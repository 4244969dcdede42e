import { z } from 'zod'
import { outsideText, ownText } from '../../operation/lockdown/disclosure.ts'
import { Finding, FindingAsset } from '../model.ts'

/** A finding in an export: as in a list, with more of its asset. */
export const ExportedFinding = Finding.extend({
  asset: FindingAsset.extend({
    owner: outsideText().describe('Owner.'),
    labels: z.array(outsideText()).describe('Its labels.'),
    contentUpdatedAt: ownText().describe('ISO 8601 UTC timestamp.').optional(),
  }).describe('The asset it is in.'),
})
export type ExportedFinding = z.infer<typeof ExportedFinding>

/** The name of the fingerprint in exports, by which an import recognizes the finding it was made of. */
export const FINGERPRINT_NAME = 'assay/v1'
