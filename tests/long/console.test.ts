import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, test } from 'vitest'
import { assay, hasBrowser, launch, main, Pages, type Served, serve } from '../console/harness.ts'
import { brushToList, compareExplore, compareOthers, revisit, triageByKeyboard } from '../console/journeys.ts'

// The tests of `npm test` with each page in both widths and colours; its journeys on the demo and on 100,000 findings.
process.env.ASSAY_LONG = '1'
await import('../console/browser.test.ts')

const FINDINGS = '100000'

/** A data folder as the demo leaves it. */
async function makeDemo(): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'assay-demo-'))
  const demo = spawn(process.execPath, [main, 'demo', '--once', '--home', home], { stdio: 'ignore' })
  await new Promise((resolve) => demo.once('exit', resolve))
  return home
}

describe.skipIf(!hasBrowser).each([
  ['the demo', () => makeDemo().then((home) => serve(undefined, home))],
  [
    '100,000 findings',
    () =>
      serve((home) => {
        const file = join(home, 'findings.ndjson')
        writeFileSync(file, assay('generate', '--findings', FINDINGS, '--seed', '5'))
        assay('import', '--home', home, '--source', 'archive', file)
        rmSync(file)
      }),
  ],
] as const)('the console on %s', { timeout: 300_000 }, (_name, start) => {
  let browser: Browser
  let served: Served
  let pages: Pages
  beforeAll(async () => {
    ;[browser, served] = await Promise.all([launch(), start()])
    pages = new Pages(browser, served.origin)
  })
  afterAll(async () => {
    await Promise.all([browser?.close(), served?.close()])
  })
  afterEach(() => pages.finish())

  test.each([
    'metric=new-findings&severity=HIGH,CRITICAL&range=90d',
    'metric=open-findings',
    'metric=false-positive-rate&range=2y',
    'metric=affected-assets&detectorType=PII',
    'metric=critical-open-findings&term=security-threats&range=30d',
  ])('every number of explore?%s equals that of REST', (query) =>
    compareExplore({ pages, served }, `/console/explore?${query}`),
  )
  test.each(['pii-exposure', 'broken-content'])('every number of the other pages equals that of REST (%s)', (term) =>
    compareOthers({ pages, served }, term),
  )
  test('a click adds a filter; back, forward, reload and another profile show the same numbers', () =>
    revisit({ pages, served }))
  test('dragging selects a time range, whose findings are listed', () => brushToList({ pages, served }))
  test('the keyboard alone suffices to triage a finding, undo it and read its history', () =>
    triageByKeyboard({ pages, served }))
})
