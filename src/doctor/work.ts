import { join } from 'node:path'
import { listTokens } from '../access/tokens.ts'
import type { OpenedApp } from '../app.ts'
import type { Check } from '../cli/host.ts'
import { count } from '../kernel/count.ts'
import { AppError } from '../kernel/errors.ts'
import { quote, showNames } from '../kernel/shown.ts'
import { call } from '../operation/operation.ts'
import { shell } from '../runtime/shell.ts'
import { isOrphaned } from '../scans/lease.ts'
import { isCertainlyDead } from '../scans/owner.ts'
import { listOpenScans } from '../scans/scans.store.ts'
import { listLeftOut } from '../sources/config.ts'
import { installedPlugins } from '../sources/operations.ts'
import { listDueSources, listSources } from '../sources/sources.store.ts'
import { findLease } from '../store/lease.store.ts'
import type { Store } from '../store/store.ts'
import { type CheckResult, check, toCheck } from './check.ts'
import { SET_CLOCK } from './machine.ts'

const LATE_MS = 10 * 60_000
const DAY_MS = 86_400_000
const SOON_MS = 7 * DAY_MS
/** How long a source may take to answer. */
const WAIT_MS = 2_000
const FULL_WAIT_MS = 30_000

/** How scheduled work is done again, now and from now on: on a server by any number of workers. */
const toRunning = ({ files }: Store) =>
  files === undefined
    ? { now: 'assay worker', always: 'Keep a worker running, or a server without --no-background: assay worker' }
    : { now: 'assay serve', always: `Keep a process running that does it: ${shell.keepServing}` }

/** Checks what uses the database: key, schedules, scans and tokens. */
export function checkWork(app: OpenedApp): Check[] {
  const now = Date.now()
  const run = toRunning(app.store)
  return [
    checkKey(app),
    check('clock and rows', () => checkNewest(app, now), SET_CLOCK),
    check('background loop', () => checkDriver(app, now), run.always),
    check('schedules', () => checkSchedules(app, now), run.now),
    check('scans', () => checkScans(app, now), run.now),
    check('tokens', () => checkTokens(app, now), 'assay token list'),
    check('detectors', () => checkDetectors(app), 'assay sources'),
  ]
}

function checkKey({ vault, config: { home } }: OpenedApp): Check {
  const problem = vault.problem()
  const { place, check: value } = vault.source()
  const file = join(home, 'assay.key')
  const back = `Provide the key as ASSAY_KEY_FILE, ASSAY_KEY or this file: ${shell.copy('COPY-OF-THE-KEY', file)}`
  const fix = problem?.facts.reason === 'key_exposed' ? shell.makePrivate(file) : back
  return toCheck(
    'key',
    problem === undefined ? `${value} decrypts the stored secrets (${place})` : { failed: problem.message, fix },
  )
}

const MAX_NAMED = 5

/** A list of detectors replaces the default one, so what it does not name never runs. */
function checkDetectors({ store }: OpenedApp): CheckResult {
  const lists = store.read(listSources).flatMap(({ uid, name, type, config }) => {
    const left = listLeftOut(installedPlugins, { ...config, type })
    return left.length === 0 ? [] : [{ uid, text: `${quote(name)} does not run ${left.join(', ')}` }]
  })
  const [first] = lists
  if (first === undefined) return 'every source runs all detectors of its type'
  const warning = `By its list of detectors, ${lists.map(({ text }) => text).join('; ')}.`
  return { warning, fix: `To run all: assay sources edit ${first.uid} --detectors all` }
}

/** A row dated in the future was written under a wrong clock, or the clock is wrong now. */
function checkNewest({ store }: OpenedApp, now: number): CheckResult {
  const { at } = store.read(
    (reader) => reader.prepare('SELECT max(at) AS at FROM audit').get() as { at: number | null },
  )
  if (at === null || at <= now + DAY_MS) return 'the newest row is not from the future'
  return { warning: `The newest row is dated ${new Date(at).toISOString()}, in the future.`, fix: SET_CLOCK }
}

function checkDriver({ store }: OpenedApp, now: number): CheckResult {
  const { lease, time } = store.read((reader) => ({ lease: findLease(reader, 'loop'), time: reader.time?.() ?? now }))
  if (lease === undefined || lease.expiresAt <= time) {
    const scheduled = store.read(listSources).filter(({ nextRunAt }) => nextRunAt !== null)
    if (scheduled.length === 0) return 'no process is running scheduled scans now, and none are scheduled'
    const names = showNames(scheduled.slice(0, MAX_NAMED).map(({ name }) => name))
    return { warning: `No process runs the scheduled scans of ${names}.`, fix: toRunning(store).always }
  }
  return isCertainlyDead(lease.holder)
    ? { warning: 'The process that ran scheduled scans has died.', fix: toRunning(store).now }
    : 'it is held by a running process'
}

function checkSchedules({ store }: OpenedApp, now: number): CheckResult {
  const late = store.read((reader) => listDueSources(reader, now - LATE_MS))
  if (late.length === 0) return 'none is overdue'
  return { warning: `Late: ${showNames(late.map(({ name }) => name))}.`, fix: toRunning(store).now }
}

function checkScans({ store }: OpenedApp, now: number): CheckResult {
  const { open, time } = store.read((reader) => ({ open: listOpenScans(reader), time: reader.time?.() ?? now }))
  const stuck = open.filter((scan) => scan.status === 'RUNNING' && isOrphaned(scan, time))
  if (stuck.length === 0) return `${count(open.length, 'scan')} running, none abandoned`
  return { warning: `${count(stuck.length, 'scan')} abandoned because its process ended.`, fix: toRunning(store).now }
}

function checkTokens({ store }: OpenedApp, now: number): CheckResult {
  const tokens = store.read((reader) => listTokens(reader, now)).filter(({ status }) => status === 'active')
  const soon = tokens.filter(({ expiresAt }) => Date.parse(expiresAt) < now + SOON_MS)
  const [first] = soon
  if (first === undefined) return `${count(tokens.length, 'token')} valid`
  return {
    warning: `About to expire: ${showNames(soon.map(({ name }) => name))}.`,
    fix: `Create another, then revoke the old one: assay token create --scope ${first.scopes.join(',')} && assay token revoke ${first.id}`,
  }
}

/** Tests the connection to each source, as `assay sources test` does. */
export async function checkSources(app: OpenedApp, isFull: boolean, maxWaitMs = WAIT_MS): Promise<Check[]> {
  const maxMs = isFull ? FULL_WAIT_MS : maxWaitMs
  const run = async (name: string, input: Record<string, unknown>, signal: AbortSignal) => {
    const operation = app.operations.find((candidate) => candidate.name === name)
    if (operation === undefined) throw new AppError('internal', `${name} is not in the catalogue.`)
    const context = app.contextFor({ caller: app.caller, signal })
    return call(operation, input, context)
  }
  const { items } = (await run('list_sources', {}, new AbortController().signal)) as {
    items: { id: string; name: string; type: string }[]
  }
  const asked = items.filter(({ type }) => type !== 'IMPORT')
  return Promise.all(
    asked.map(async ({ id, name }): Promise<Check> => {
      const again = `assay sources test ${id}`
      const signal = AbortSignal.timeout(maxMs)
      try {
        const { steps } = (await run('test_source', { id }, signal)) as {
          steps: { name: string; status: string; detail?: string; hint?: string }[]
        }
        const bad = steps.find(({ status }) => status === 'failed' || status === 'denied')
        const proxied = steps.flatMap((step) => (step.name === 'proxy' && step.detail ? [step.detail] : []))
        const passed = [`${count(steps.length - proxied.length, 'step')} passed`, ...proxied].join('; ')
        if (bad === undefined) return toCheck(`source ${name}`, passed)
        if (signal.aborted) {
          const failed = `${bad.name.replaceAll('_', ' ')}: no answer within ${maxMs / 1000} s`
          return toCheck(`source ${name}`, { failed, fix: `To wait longer: ${again}` })
        }
        const fix = bad.hint === undefined ? again : `${bad.hint} Then: ${again}`
        const detail = bad.detail === undefined ? '' : `, ${bad.detail}`
        return toCheck(`source ${name}`, { failed: `${bad.name.replaceAll('_', ' ')}: ${bad.status}${detail}`, fix })
      } catch (error) {
        const failed = error instanceof AppError ? error.message : 'The source could not be tested.'
        return toCheck(`source ${name}`, { failed, fix: again })
      }
    }),
  )
}
