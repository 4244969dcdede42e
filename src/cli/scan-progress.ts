import { setTimeout as sleep } from 'node:timers/promises'
import type { Pause } from '../connectors/http/upstream.ts'
import { AppError } from '../kernel/errors.ts'
import { line, MAX_NAME, type PrintableText, showCode, showName, showSentence } from '../kernel/shown.ts'
import type { Scan } from '../scans/model.ts'
import type { Host } from './host.ts'
import { type Block, toneOf } from './output/blocks.ts'
import { describeScreen } from './output/screen.ts'
import { ScanPace, toDone, toPauseLine, toStatusLine } from './scan-pace.ts'
import { print, type Session } from './session.ts'

/** The reason of a failed scan in one sentence. */
export function toFailure({
  failures,
  reason,
}: Pick<Scan, 'reason'> & { failures: readonly { message: string }[] }): PrintableText {
  const [first] = failures
  if (first !== undefined) return line`The scan failed: ${showSentence(first.message)}`
  return line`The scan failed (${showReason(reason ?? 'no reason given')}); \`assay console\` shows what it read.`
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
): Promise<Scan> {
  const display = stream.isTTY === true ? await openFrameDisplay(host, stream) : lineDisplay(stream)
  const pauseOf = ({ source }: Scan) => session.app.upstream?.pauseOf(source.id)
  try {
    for (;;) {
      const scan = await session.call<Scan>('get_scan', { id: scanId })
      display.show(scan, pauseOf(scan))
      if (over.has(scan.status)) return scan
      if (host.signal.aborted) {
        await session.call('cancel_scan', { id: scanId })
        throw new AppError(
          'conflict',
          'The scan was interrupted; what it has stored is kept, and the next scan resumes there.',
        )
      }
      await sleep(POLL_MS)
    }
  } finally {
    display.close()
  }
}

interface Display {
  show(scan: Scan, pause: Pause | undefined): void
  close(): void
}

/** A frame that is drawn again at each change; the bars stay when it is closed. */
async function openFrameDisplay(host: Host, stream: Host['stderr']): Promise<Display> {
  const [{ createLogUpdate }, { layOut }] = await Promise.all([import('log-update'), import('./output/layout.ts')])
  const update = createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true })
  const pace = new ScanPace()
  let bars = ''
  const draw = (blocks: readonly Block[]) => layOut(blocks, describeScreen(host, stream)).join('\n')
  return {
    show: (scan, pause) => {
      pace.add(scan, Date.now())
      bars = draw(toBarLines(scan.scopes, (stream.rows ?? DEFAULT_ROWS) - 4))
      const status = over.has(scan.status) ? '' : draw([toStatusLine(scan, pace, pause, Date.now())])
      update([bars, status].filter(Boolean).join('\n'))
    },
    close: () => {
      // Without what a terminal shows for Ctrl-C, and without the status.
      stream.write('\r\u001b[2K')
      if (bars === '') update.clear()
      else update(bars)
      update.done()
    },
  }
}

const DEFAULT_ROWS = 24

function lineDisplay(stream: Host['stderr']): Display {
  const reported = new Set<string>()
  let paused = 0
  return {
    show: (scan, pause) => {
      if (pause !== undefined && pause.until > Math.max(paused, Date.now())) {
        paused = pause.until
        print({ stdout: stream }, line`  ${toPauseLine(scan, pause, Date.now())}`)
      }
      for (const scope of scan.scopes) {
        if (!scopeOver.has(scope.state) || reported.has(scope.key)) continue
        reported.add(scope.key)
        print({ stdout: stream }, line`  ${toScopeLine(scope)}`)
      }
    },
    close: () => {},
  }
}

function toScopeLine(scope: Scan['scopes'][number]): PrintableText {
  const counts = line`${scope.discovered} found, ${scope.scanned} scanned, ${scope.unchanged} unchanged`
  const trouble =
    scope.state === 'COMPLETE'
      ? line``
      : line`, ${showCode(scope.state.toLowerCase())}${scope.reason ? line` (${showReason(scope.reason)})` : line``}`
  return line`${showName(scope.name)}: ${counts}${trouble}`
}

const MAX_BAR_NAME = 40
const BAR_WIDTH = 24

/** A line for each scope; where the terminal is too short, those that are being read, and a count of the others. */
function toBarLines(scopes: readonly Scan['scopes'][number][], rows: number): Block[] {
  if (scopes.length <= rows) return scopes.map(toBarLine)
  const running = scopes.filter(({ state }) => state === 'RUNNING').slice(0, Math.max(1, rows - 1))
  const complete = scopes.filter(({ state }) => scopeOver.has(state)).length
  return [...running.map(toBarLine), line`  ${complete} of ${scopes.length} are complete`]
}

/** A full bar is a scope that was read completely. */
function toBarLine({ name, state, discovered, scanned, unchanged }: Scan['scopes'][number]): Block {
  const done = scanned + unchanged
  const isComplete = state === 'COMPLETE'
  const share = isComplete ? 1 : done < discovered ? done / discovered : 0
  const filled = Math.floor(share * BAR_WIDTH)
  const bar = {
    text: `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}` as PrintableText,
    tone: toneOf(state),
  }
  const counts = scopeOver.has(state) ? line`${done} of ${discovered}` : toDone(done, discovered)
  const trouble = scopeOver.has(state) && !isComplete ? line`, ${showCode(state.toLowerCase())}` : line``
  return [line`  `, bar, line` ${showName(name, MAX_BAR_NAME)}  ${counts}${trouble}`]
}

/** A one-line summary of a scan. */
export function toScanSummary(scan: Scan): PrintableText {
  const { discovered, scanned, unchanged, findings } = scan.progress
  const unread = unchanged === 0 || findings.again === 0 ? line`` : line` (those of unchanged assets not counted)`
  const head = line`${showName(scan.source.name)}: ${showCode(scan.status)}${scan.reason ? line` (${showReason(scan.reason)})` : line``}`
  return line`${head} · ${discovered} assets, ${scanned} scanned, ${unchanged} unchanged · findings: ${findings.new} new, ${findings.again} again${unread}, ${findings.resolved} resolved`
}
