import { AppError } from '../kernel/errors.ts'
import { line, MAX_NAME, type PrintableText, showCode, showJson, showName, showSentence } from '../kernel/shown.ts'
import type { Host } from './host.ts'
import type { Block } from './output/blocks.ts'
import { describeScreen } from './output/screen.ts'
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
  const display = stream.isTTY === true ? await openFrameDisplay(host, stream) : lineDisplay(stream)
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

async function openFrameDisplay(host: Host, stream: Host['stderr']): Promise<Display> {
  const [logUpdate, { layOut }] = await Promise.all([import('log-update'), import('./output/layout.ts')])
  return createFrameDisplay(stream, logUpdate, (lines) => layOut(lines, describeScreen(host, stream)))
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
const BAR_WIDTH = 24

function createFrameDisplay(
  stream: Host['stderr'],
  { createLogUpdate }: typeof import('log-update'),
  layOut: (lines: Block[]) => string[],
): Display {
  const update = createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true })
  return {
    show: (scan) => update(layOut(scan.scopes.map(toBarLine)).join('\n')),
    close: () => update.done(),
  }
}

function toBarLine(scope: ScanScopeView): Block {
  const done = scope.scanned + scope.unchanged
  const total = Math.max(scope.discovered, done, 1)
  const share = scopeOver.has(scope.state) ? 1 : done / total
  const filled = Math.round(share * BAR_WIDTH)
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}` as PrintableText
  const count = scopeOver.has(scope.state) ? total : done
  return line`  ${bar} ${showName(scope.name, MAX_BAR_NAME)}  ${count}/${total}`
}

/** A one-line summary of a scan. */
export function toScanSummary(scan: ScanView): PrintableText {
  const { discovered, scanned, unchanged, findings } = scan.progress
  const source = scan.source === undefined ? line`` : line`${showName(scan.source.name)}: `
  const head = line`${source}${showCode(scan.status)}${scan.reason ? line` (${showReason(scan.reason)})` : line``}`
  return line`${head} · ${discovered} assets, ${scanned} scanned, ${unchanged} unchanged · findings: ${findings.new} new, ${findings.again} again, ${findings.resolved} resolved`
}
