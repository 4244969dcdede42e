import { expect, it } from 'vitest'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { sqliteOnly } from '../support/new-store.ts'
import { lockForLong } from '../support/write-lock.ts'
import { createTenant, detectWords } from './fake-tenant.ts'
import { createFake, openWorkbench } from './workbench.ts'

it('a scan waits for an import that takes longer than a write may wait', async (test) => {
  sqliteOnly('a scan on PostgreSQL does not wait for an import of another source', test)
  let locking: Promise<void> | undefined
  const detect: Detect = async (document, request) => {
    locking ??= lockForLong(bench.store.files?.file)
    await locking
    return detectWords(document, request)
  }
  const bench = openWorkbench(createTenant({ ENG: 5 }), { detect })
  await createFake(bench)
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', progress: { scanned: 5 } })
  await bench.close()
}, 30_000)
