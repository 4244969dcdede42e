import { MultiBar, Presets } from 'cli-progress'
import { AppError } from '../kernel/errors.ts'
import { line, MAX_NAME, type PrintableText, showCode, showJson, showName, showSentence } from '../kernel/shown.ts'
import type { Host } from './host.ts'
import { print, type Session } from './session.ts'

export interface ScanScopeView {
  key: string
  name: string
  state: string
  discovered: number
  scanned: number
  unchanged: number
  reason?: string | undefined
}

export interface ScanView {
  id: string
  status: string
  source?: { name: string }
  progress: {
    discovered: number
    scanned: number
    unchanged: number
    findings: { new: number; again: number; resolved: number }
  }
  scopes: ScanScopeView[]
  reason?: string | undefined
  failures?: readonly { message: string }[]
}

/** The reason of a failed scan in one sentence. */
export function toFailure({ id, failures = [], reason }: ScanView): PrintableText {
  const [first] = failures
  if (first !== undefined) return line`The scan failed: ${showSentence(first.message)}`
  return line`The scan failed (${showReason(reason ?? 'no reason given')}); see \`assay call get_scan '${showJson({ id })}'\`.`
}

const showReason = (reason: string): PrintableText => showSentence(reason, MAX_NAME)

const POLL_MS = 100
const over = new Set(['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'])
const scopeOver = new Set(['COMPLETE', 'PARTIAL', 'FAILED'])

/**
 * Follows a scan to its end: progress bars on a terminal, one line for each finished scope on a pipe. Ctrl-C cancels
 * the scan.
 */
export async function followScan(
  host: Host,
  session: Session,
  scanId: string,
  stream: Host['stderr'] = host.stderr,
): Promise<ScanView> {
  const display = stream.isTTY === true ? barDisplay(stream) : lineDisplay(stream)
  try {
    for (;;) {
      const scan = await session.call<ScanView>('get_scan', { id: scanId })
      display.show(scan)
      if (over.has(scan.status)) return scan
      if (host.signal.aborted) {
        await session.call('cancel_scan', { id: scanId })
        throw new AppError(
          'conflict',
          'The scan was interrupted; what it has stored is kept, and the next scan resumes there.',
        )
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  } finally {
    display.close()
  }
}

interface Display {
  show(scan: ScanView): void
  close(): void
}

function lineDisplay(stream: Host['stderr']): Display {
  const reported = new Set<string>()
  return {
    show: (scan) => {
      for (const scope of scan.scopes) {
        if (!scopeOver.has(scope.state) || reported.has(scope.key)) continue
        reported.add(scope.key)
        print({ stdout: stream }, line`  ${toScopeLine(scope)}`)
      }
    },
    close: () => {},
  }
}

function toScopeLine(scope: ScanScopeView): PrintableText {
  const counts = line`${scope.discovered} found, ${scope.scanned} scanned, ${scope.unchanged} unchanged`
  const trouble =
    scope.state === 'COMPLETE'
      ? line``
      : line`, ${showCode(scope.state.toLowerCase())}${scope.reason ? line` (${showReason(scope.reason)})` : line``}`
  return line`${showName(scope.name)}: ${counts}${trouble}`
}

const MAX_BAR_NAME = 40

function barDisplay(stream: Host['stderr']): Display {
  const bars = new MultiBar(
    {
      format: '  {bar} {name}  {value}/{total}',
      stream: stream as NodeJS.WriteStream,
      hideCursor: true,
      clearOnComplete: false,
      barsize: 24,
    },
    Presets.shades_classic,
  )
  const byScope = new Map<string, ReturnType<typeof bars.create>>()
  return {
    show: (scan) => {
      for (const scope of scan.scopes) {
        const done = scope.scanned + scope.unchanged
        const total = Math.max(scope.discovered, done, 1)
        const bar = byScope.get(scope.key) ?? bars.create(total, done, { name: showName(scope.name, MAX_BAR_NAME) })
        byScope.set(scope.key, bar)
        bar.setTotal(total)
        bar.update(scopeOver.has(scope.state) ? total : done)
      }
    },
    close: () => bars.stop(),
  }
}

/** A one-line summary of a scan. */
export function toScanSummary(scan: ScanView): PrintableText {
  const { discovered, scanned, unchanged, findings } = scan.progress
  const source = scan.source === undefined ? line`` : line`${showName(scan.source.name)}: `
  const head = line`${source}${showCode(scan.status)}${scan.reason ? line` (${showReason(scan.reason)})` : line``}`
  return line`${head} · ${discovered} assets, ${scanned} scanned, ${unchanged} unchanged · findings: ${findings.new} new, ${findings.again} again, ${findings.resolved} resolved`
}
