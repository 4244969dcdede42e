import type { OpenedApp } from '../app.ts'
import type { Check } from '../cli/host.ts'
import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import { version } from '../runtime/package-files.ts'
import { findServer } from '../runtime/served-address.ts'
import { type CheckResult, toCheck } from './check.ts'

type EngineOptions = Pick<OpenedApp, 'store'> & { config: { home: string }; minFindings?: number }

/** Says which processes have a columnar index, which takes memory. */
export const checkEngine = (options: EngineOptions): Check => toCheck('columnar index', examineEngine(options))

function examineEngine({ store, config, minFindings = MIN_FINDINGS_FOR_INDEX }: EngineOptions): CheckResult {
  if (store.read(countFindings) < minFindings) return `not needed below ${minFindings} findings`
  if (store.files === undefined) return 'each server has one of its own'
  const server = findServer(config.home)?.questions
  if (server === undefined) return 'each process has one of its own; with `assay serve`, it alone has one'
  if (server.version === version) return '`assay serve` has one, and answers the assistants on this folder'
  return {
    warning: `\`assay serve\` is of version ${server.version}, so each assistant of this version has a columnar index of its own.`,
    fix: 'Restart it with this version: assay serve',
  }
}
