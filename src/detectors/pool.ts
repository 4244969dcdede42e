import { availableParallelism } from 'node:os'
import type { AssayDocument } from '../documents/document.ts'
import { AppError } from '../kernel/errors.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import type { DetectorProtocol } from './detect.worker.ts'
import type { DetectorRequest } from './request.ts'
import type { RunResult, RunWarning } from './runner.ts'

export interface DetectorPool {
  /**
   * Findings of one document. A detector that exceeds its time limit is stopped with a warning; the others still run.
   */
  run(document: AssayDocument, request: DetectorRequest): Promise<RunResult>
  /** Stops the workers; running documents reject with `unavailable`. */
  close(): Promise<void>
}

export interface PoolOptions {
  fingerprintKey: Uint8Array
  /** Maximum number of workers; default: one less than the available processors. */
  size?: number
  /**
   * Time limit of one detector on one document, in milliseconds of processor time, so that a machine with other work
   * finds the same; a detector that waits is stopped after MAX_WAIT times as long.
   */
  budgetMs?: number
  /** Time limit for a worker to start, in milliseconds. */
  startMs?: number
  /** The script that workers run; for tests. */
  script?: URL
}

interface PoolWorker {
  client: WorkerClient<DetectorProtocol>
  /** Its document is run; undefined while it is idle. */
  run?: Run | undefined
}

/** One attempt at a document. */
interface Run {
  /** The running detector; undefined while the worker starts or reads the document. */
  detector?: string
  /** It exceeded its time limit. */
  isLate?: boolean
  timer?: NodeJS.Timeout
}

const SCRIPT = 'detectors/detect.worker'
/** Limit on the young generation of each worker's heap. */
const YOUNG_MEGABYTES = 24
const MAX_WAIT = 10

/** Worker threads that run detectors, started on demand; idle ones do not keep the process alive. */
export function createDetectorPool(options: PoolOptions): DetectorPool {
  const { fingerprintKey, budgetMs = 2_000, startMs = 30_000, script = SCRIPT } = options
  const size = Math.max(1, options.size ?? availableParallelism() - 1)
  const workers = new Set<PoolWorker>()
  const idle: PoolWorker[] = []
  const waiting: (() => void)[] = []
  let documents = 0
  let closed = false

  const start = (): PoolWorker => {
    const worker: PoolWorker = {
      client: openWorker<DetectorProtocol>({
        script,
        settings: { workerData: { fingerprintKey }, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } },
        events: {
          detector: (type) => {
            if (worker.run === undefined) return
            worker.run.detector = type
            arm(worker, worker.run, MAX_WAIT * budgetMs, budgetMs)
          },
        },
        onExit: () => void workers.delete(worker),
      }),
    }
    workers.add(worker)
    return worker
  }

  /** Stops a worker after `waitMs`, or already after `usedMs` of processor time. */
  const arm = ({ client }: PoolWorker, run: Run, waitMs: number, usedMs = Number.POSITIVE_INFINITY) => {
    const [end, before] = [performance.now() + waitMs, process.cpuUsage()]
    const check = () => {
      // A thread has used no more processor time than its process.
      const { user, system } = process.cpuUsage(before)
      const leftMs = Math.min(end - performance.now(), usedMs - (user + system) / 1000)
      if (leftMs > 0) {
        run.timer = setTimeout(check, leftMs + 1)
        return
      }
      run.isLate = true
      void client.terminate()
    }
    clearTimeout(run.timer)
    check()
  }

  /** Runs a document on an idle worker or a new one; a worker that is lost is replaced. */
  const attempt = async (document: AssayDocument, request: DetectorRequest, run: Run): Promise<RunResult> => {
    const worker = takeIdle() ?? start()
    worker.run = run
    arm(worker, run, startMs)
    try {
      return await worker.client.call('detect', { document, request })
    } finally {
      clearTimeout(run.timer)
      worker.run = undefined
      idle.push(worker)
    }
  }

  const takeIdle = (): PoolWorker | undefined => {
    let worker = idle.pop()
    while (worker?.client.isLost) worker = idle.pop()
    return worker
  }

  /** Runs a document, again without the detector that was running if a worker is lost. */
  const detect = async (document: AssayDocument, request: DetectorRequest): Promise<RunResult> => {
    const warnings: RunWarning[] = []
    for (let { detectors } = request; ; ) {
      const run: Run = {}
      try {
        const result = await attempt(document, { ...request, detectors }, run)
        return { ...result, warnings: [...warnings, ...result.warnings] }
      } catch (error) {
        if (closed) throw lost('The detectors were closed; start the scan again.')
        if (!(error instanceof WorkerLost)) {
          throw new AppError('invalid_input', 'The configuration of a detector is not valid; correct it.')
        }
        const { detector } = run
        if (detector === undefined) throw lost('The detectors could not be run; start the scan again.')
        const [code, how] = run.isLate
          ? (['budget_exceeded', `took longer than ${budgetMs} ms of processor time`] as const)
          : (['detector_failed', 'failed'] as const)
        warnings.push({ code, message: `${detector} ${how} on this document: its findings are missing.` })
        detectors = detectors.filter(({ type }) => type !== detector)
      }
    }
  }

  return {
    async run(document, request) {
      if (closed) throw lost('The detectors are closed; start the scan again.')
      if (documents >= size) await new Promise<void>((resolve) => waiting.push(resolve))
      else documents++
      try {
        if (closed) throw lost('The detectors were closed; start the scan again.')
        return await detect(document, request)
      } finally {
        // The next document takes the place of this one.
        const next = waiting.shift()
        if (next === undefined) documents--
        else next()
      }
    },
    async close() {
      closed = true
      for (const next of waiting.splice(0)) next()
      await Promise.all([...workers].map(({ client }) => client.terminate()))
    },
  }
}

const lost = (message: string) => new AppError('unavailable', message)
