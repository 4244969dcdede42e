import { expect, test } from 'vitest'
import { checkEngine } from '../../src/doctor/engine.ts'
import { version } from '../../src/runtime/package-files.ts'
import { announceServer } from '../../src/runtime/served-address.ts'
import { openFolderStore, plant } from '../query/estate.ts'
import { sqliteOnly } from '../support/new-store.ts'

sqliteOnly('on a server each process has an index of its own')

test('doctor says which processes have a columnar index', () => {
  const { store, folder: home, close } = openFolderStore(() => 0)
  plant(store, { findings: [{ asset: 'page', firstDetectedAt: 0 }] })
  const examine = (minFindings = 1) => checkEngine({ store, config: { home }, minFindings })
  const announce = (version: string) =>
    announceServer(home, { questions: { address: 'http://127.0.0.1:1', token: 'a', version, database: '1:1' } })
  expect(examine(2)).toMatchObject({ status: 'ok', detail: 'not needed below 2 findings' })
  expect(examine()).toMatchObject({ status: 'ok', detail: expect.stringContaining('each process has one of its own') })
  announce(version)
  expect(examine()).toMatchObject({ status: 'ok', detail: expect.stringContaining('answers the assistants') })
  announce('0.0.9')
  expect(examine()).toMatchObject({ status: 'warning', detail: expect.stringContaining('0.0.9') })
  close()
})
