import { toGuid } from './ids.ts'

/** Who signs in to the sample tenants. The tenants accept nothing else, and nothing else accepts these. */
export const sampleCredentials = {
  accountEmail: 'assay-scanner@larkmoor-outfitters.com',
  apiToken: 'sample-wiki-api-token',
  tenantId: toGuid('sample-bi tenant'),
  clientId: toGuid('sample-bi client'),
  clientSecret: 'sample-bi-client-secret',
}
export type SampleCredentials = typeof sampleCredentials
