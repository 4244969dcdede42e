import { toGuid } from './ids.ts'

/** Credentials of the sample tenants, which accept no others; they are valid nowhere else. */
export const sampleCredentials = {
  accountEmail: 'assay-scanner@larkmoor-outfitters.com',
  apiToken: 'sample-wiki-api-token',
  tenantId: toGuid('sample-bi tenant'),
  clientId: toGuid('sample-bi client'),
  clientSecret: 'sample-bi-client-secret',
}
export type SampleCredentials = typeof sampleCredentials
