import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { appendAudit } from '../../src/audit/audit.store.ts'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'
import type { SafeText } from '../../src/kernel/safe-text.ts'
import { listDamagedDefinitions } from '../../src/store/digests.store.ts'
import type { WatchRecord } from '../../src/watches/model.ts'
import { watchOperations } from '../../src/watches/operations.ts'
import { openReceiver } from '../../src/watches/receivers.ts'
import { findWatch } from '../../src/watches/watches.store.ts'
import { caller, contextOf, localPerson } from '../support/context.ts'

it('upgrading leaves only scheme and host of webhooks outside of what is sealed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'assay-webhooks-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const config = loadConfig({ home }, {})
  const address = 'https://mattermost.acme.com/hooks/9hj3k1mzq7f8ub4wnxr5ot6yde'
  const receiver = { type: 'webhook', url: address, format: 'json' }
  const earlier = await openFolder(config, {})
  const context = contextOf({ ...earlier, caller: localPerson })
  const condition = { kind: 'above', value: 0 }
  const watch = { slug: 'open', displayName: 'Open', metricSlug: 'open-findings', condition, deliver: [receiver] }
  await caller(watchOperations, context)('create_watch', watch)
  earlier.store.write((writer) => {
    writer.prepare('UPDATE watch_receiver SET address = ?').run(address as SafeText)
    writer.prepare(`DELETE FROM install WHERE name = 'texts_hidden'`).run()
    const author = { name: 'ann', via: 'cli', at: 1 } as const
    const after = { deliver: [receiver], newSecrets: [address] }
    appendAudit(writer, author, { action: 'update', kind: 'watch', name: 'open', after })
  })
  earlier.close()
  const { store, vault, close } = await openFolder(config, {})
  onTestFinished(close)
  expect(readFileSync(join(home, 'assay.db'), 'latin1')).not.toContain('9hj3k1mzq7f8ub4wnxr5ot6yde')
  expect(store.read((reader) => verifyAudit(reader))).not.toHaveProperty('brokenAt')
  expect(store.read(listDamagedDefinitions)).toEqual([])
  const { uid, receivers } = store.read((reader) => findWatch(reader, 'open')) as WatchRecord
  expect(receivers).toMatchObject([{ address: 'https://mattermost.acme.com/********' }])
  expect(receivers.map((each) => openReceiver(vault, uid, each).url)).toEqual([address])
})
