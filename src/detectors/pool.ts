import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { AssayDocument } from '../documents/document.ts'
import { AppError } from '../kernel/errors.ts'
import { startWorker } from '../runtime/package-files.ts'
import type { DetectJob, DetectReply } from './detect.worker.ts'
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
  /** Time limit of one detector on one document, in milliseconds. */
  budgetMs?: number
  /** Time limit for a worker to start, in milliseconds. */
  startMs?: number
  /** The script that workers run; for tests. */
  script?: URL
}

interface Task {
  job: DetectJob
  warnings: RunWarning[]
  resolve: (result: RunResult) => void
  reject: (error: unknown) => void
}

interface Slot {
  worker: Worker
  task: Task
  /** The running detector; undefined while the worker starts or reads the document. */
  detector?: string
  timer?: NodeJS.Timeout
}

const SCRIPT = 'detectors/detect.worker'
/** Limit on the young generation of each worker's heap. */
const YOUNG_MEGABYTES = 24

/** Worker threads that run detectors, started on demand; idle ones do not keep the process alive. */
export function createDetectorPool(options: PoolOptions): DetectorPool {
  const { fingerprintKey, budgetMs = 2_000, startMs = 30_000, script } = options
  const size = Math.max(1, options.size ?? availableParallelism() - 1)
  const idle: Worker[] = []
  const busy = new Map<Worker, Slot>()
  const waiting: Task[] = []
  let nextId = 1
  let closed = false

  const start = (): Worker => {
    const start = { workerData: { fingerprintKey }, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } }
    const worker = script === undefined ? startWorker(SCRIPT, start) : new Worker(script, start)
    worker.on('message', (reply: DetectReply) => onReply(worker, reply))
    worker.on('error', () => onLoss(worker, 'detector_failed'))
    worker.on('exit', () => onLoss(worker, 'detector_failed'))
    return worker
  }

  const assign = () => {
    while (waiting.length > 0 && (idle.length > 0 || busy.size < size)) {
      const task = waiting.shift()
      if (task === undefined) return
      const worker = idle.pop() ?? start()
      const slot: Slot = { worker, task }
      busy.set(worker, slot)
      worker.ref()
      arm(slot, startMs)
      worker.postMessage(task.job)
    }
  }

  const arm = (slot: Slot, limitMs: number) => {
    clearTimeout(slot.timer)
    slot.timer = setTimeout(() => onLoss(slot.worker, 'budget_exceeded'), limitMs)
  }

  const release = (slot: Slot) => {
    clearTimeout(slot.timer)
    busy.delete(slot.worker)
  }

  const onReply = (worker: Worker, reply: DetectReply) => {
    const slot = busy.get(worker)
    if (slot === undefined || slot.task.job.id !== reply.id) return
    if (reply.kind === 'started') {
      slot.detector = reply.type
      arm(slot, budgetMs)
      return
    }
    release(slot)
    worker.unref()
    if (closed) void worker.terminate()
    else idle.push(worker)
    if (reply.kind === 'done') {
      slot.task.resolve({ ...reply.result, warnings: [...slot.task.warnings, ...reply.result.warnings] })
    } else {
      slot.task.reject(new AppError('invalid_input', 'Correct the configuration of a detector: it does not fit.'))
    }
    assign()
  }

  /** A worker has exited or is stuck: its document is run again without the detector that was running. */
  const onLoss = (worker: Worker, code: 'budget_exceeded' | 'detector_failed') => {
    const slot = busy.get(worker)
    const index = idle.indexOf(worker)
    if (index >= 0) idle.splice(index, 1)
    if (slot === undefined) return
    release(slot)
    void worker.terminate()
    const { task, detector } = slot
    if (closed || detector === undefined) {
      task.reject(new AppError('unavailable', 'Try the scan again: the detectors could not be run.'))
    } else {
      const how = code === 'budget_exceeded' ? `took longer than ${budgetMs} ms` : 'failed'
      task.warnings.push({ code, message: `${detector} ${how} on this document: its findings are missing.` })
      const detectors = task.job.request.detectors.filter(({ type }) => type !== detector)
      waiting.unshift({ ...task, job: { ...task.job, request: { ...task.job.request, detectors } } })
    }
    assign()
  }

  return {
    run(document, request) {
      if (closed) return Promise.reject(new AppError('unavailable', 'Start again: the detectors are closed.'))
      return new Promise((resolve, reject) => {
        waiting.push({ job: { id: nextId++, document, request }, warnings: [], resolve, reject })
        assign()
      })
    },
    async close() {
      closed = true
      const lost = new AppError('unavailable', 'Start again: the detectors were closed.')
      for (const task of waiting.splice(0)) task.reject(lost)
      const slots = [...busy.values()]
      const workers = [...idle.splice(0), ...busy.keys()]
      for (const slot of slots) {
        release(slot)
        slot.task.reject(lost)
      }
      await Promise.all(workers.map((worker) => worker.terminate()))
    },
  }
}
