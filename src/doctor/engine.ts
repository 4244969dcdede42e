import type { OpenedApp } from '../app.ts'
import { createProver, findEngineSocket, prepareLockFile, type SharingProblem } from '../background/engine-socket.ts'
import { createQuestionClient } from '../background/question-client.ts'
import type { Check } from '../cli/host.ts'
import { countFindings, MIN_FINDINGS_FOR_INDEX } from '../findings/counts.store.ts'
import { shell } from '../runtime/shell.ts'
import { tryLock } from '../store/process-lock.ts'
import { type CheckResult, otherFolder, toCheck } from './check.ts'

const MAX_ANSWER_MS = 2_000

const SHORTER = `Move the folder: assay doctor --home ${shell.quote(otherFolder)}`
const RESTART = `Restart the other assay processes: ${shell.showProcesses}`
const problems: Readonly<Record<SharingProblem, { warning: string; fix: string }>> = {
  path_too_long: { warning: 'The path of the folder is too long for a socket of the operating system.', fix: SHORTER },
  network_folder: { warning: 'The folder is on a network file system.', fix: SHORTER },
  no_key: { warning: 'The key of the folder is missing.', fix: 'assay doctor' },
  other_version: { warning: 'It is a process of another version.', fix: RESTART },
  other_key: { warning: 'It is a process with another key.', fix: RESTART },
  no_connection: { warning: 'It does not accept connections.', fix: RESTART },
  too_slow: { warning: 'It does not answer.', fix: RESTART },
}

type EngineOptions = Pick<OpenedApp, 'store' | 'vault'> & { config: { home: string }; minFindings?: number }

/** Checks whether other processes can ask the one that has the columnar index. */
export async function checkEngine(options: EngineOptions): Promise<Check> {
  return toCheck('columnar index', await examineEngine(options))
}

async function examineEngine(options: EngineOptions): Promise<CheckResult> {
  const { store, vault, minFindings = MIN_FINDINGS_FOR_INDEX } = options
  const { home } = options.config
  if (store.read(countFindings) < minFindings) return `not needed below ${minFindings} findings`
  if (store.files === undefined) return 'each server has one of its own'
  const describe = (problem: SharingProblem): CheckResult => {
    const { warning, fix } = problems[problem]
    return { warning: `Only one process can use it; SQL answers in the others. ${warning}`, fix }
  }
  const [found, prover] = [findEngineSocket(home), createProver(vault)]
  if ('problem' in found) return describe(found.problem)
  if (prover === undefined) return describe('no_key')
  const lock = tryLock(prepareLockFile(home))
  lock?.release()
  if (lock !== undefined) return 'no process has it now'
  const client = createQuestionClient({ socket: found.socket, prover, maxAnswerMs: MAX_ANSWER_MS })
  try {
    const answer = await client.identify()
    return 'problem' in answer ? describe(answer.problem) : `process ${answer.pid} has it and answers the others`
  } finally {
    client.close()
  }
}
