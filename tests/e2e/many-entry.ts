// One assistant window among many: asks and changes things on one data folder for a while, then says how it went.
import { openApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { call } from '../../src/operation/operation.ts'

const [home = '', name = '', seconds = '5'] = process.argv.slice(2)
const app = await openApp(loadConfig({ home, logLevel: 'silent' }, {}), {})
app.startBackground()
process.stdout.write('open\n')
const context = app.contextFor({ caller: app.caller, signal: new AbortController().signal })
const run = (operation: string, input: object) => {
  const found = app.operations.find((candidate) => candidate.name === operation)
  if (found === undefined) throw new Error(`there is no operation ${operation}`)
  return call(found, input, context)
}

const mapping = (index: number) => ({ severities: [index % 2 === 0 ? 'HIGH' : 'LOW'] })
const steps: ((index: number) => Promise<unknown>)[] = [
  () => run('list_metrics', {}),
  () => run('query_metric', { metricSlug: 'open-findings', dimensions: ['severity'] }),
  (index) =>
    run('create_glossary_term', { slug: `${name}-${index}`, displayName: name, filterMapping: mapping(index) }),
  () => run('query_dashboard', { dashboard: 'discovery' }),
  (index) => run('update_glossary_term', { slug: 'pii-exposure', description: `by ${name} at ${index}` }),
  (index) => run('set_placement', { dashboard: name, slug: 'open-findings', position: index }),
  () => run('query_metric_timeseries', { metricSlug: 'new-findings', granularity: 'day' }),
]

const failures: Record<string, number> = {}
let done = 0
const until = performance.now() + Number(seconds) * 1000
for (let index = 0; performance.now() < until; index++) {
  try {
    await steps[index % steps.length]?.(index)
    done += 1
  } catch (error) {
    const reason = error instanceof AppError ? (error.facts.reason ?? error.code) : String(error)
    failures[reason] = (failures[reason] ?? 0) + 1
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
}
process.stdout.write(`${JSON.stringify({ done, failures })}\n`)
// It stays open until it is told to go, so that none leaves before all are done.
const awake = setInterval(() => {}, 1_000)
await new Promise<void>((resolve) => process.once('SIGTERM', () => resolve()))
clearInterval(awake)
await app.close()
process.exit(0)
