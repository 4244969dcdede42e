import fc from 'fast-check'
import { afterAll, expect, vi } from 'vitest'
import { exportMaskedForms } from '../../src/kernel/redaction.ts'
import { vaultOrder } from './test-order.ts'

// For tests that share a process with others: they leave it as they found it.

fc.configureGlobal({ seed: Number(process.env.ASSAY_SEED ?? 7) })

const environment = { ...process.env }
const masked = exportMaskedForms()
afterAll(() => {
  const advice = 'Name this file in test-order.ts among those that have a process of their own.'
  expect(process.env, advice).toEqual(environment)
  expect(vi.isFakeTimers(), advice).toBe(false)
  // What is remembered is masked, so that a later test of what leaks would find nothing.
  const { testPath = '' } = expect.getState()
  if (vaultOrder(testPath) === 0) expect(exportMaskedForms(), advice).toEqual(masked)
})
