import { setFlagsFromString } from 'node:v8'
import type { OpenedApp } from '../app.ts'
import type { Host } from '../cli/host.ts'
import type { Config } from '../config.ts'
import type { McpSurface } from '../mcp/protocol.ts'
import { serveStdio } from '../mcp/stdio/stdio.ts'
import { deferSurface, findManifest } from '../mcp/tools/manifest.ts'
import { openFolder } from './data-folder.ts'

/** The assistant's host waits two seconds in all; answers in flight have most of them. */
const CLOSE_MS = 400
/** The client asks for its lists first; what answers questions is read once they are likely told. */
const SETTLE_MS = 250

/**
 * `assay mcp`: until the assistant goes away, or the process is asked to stop. The data folder is open before the first
 * answer; everything that runs operations is read after it.
 */
export async function speakOverStdio(config: Config, env: NodeJS.ProcessEnv, host: Host): Promise<void> {
  // Many windows only wait: until the first question the garbage of the start is collected rather than room made for
  // it.
  setFlagsFromString('--optimize-for-size')
  const folder = await openFolder(config, env)
  const { stdin, stdout, signal } = host
  const { caller, log } = folder
  const end = new AbortController()
  let opened: OpenedApp | undefined
  let opening: Promise<OpenedApp> | undefined
  const openApp = () => {
    opening ??= import('../app.ts').then(({ createApp }) => {
      end.signal.throwIfAborted()
      opened = createApp(folder)
      opened.startAnswering()
      if (config.background) opened.startBackground()
      return opened
    })
    return opening
  }
  let loading: Promise<McpSurface> | undefined
  const load = () => {
    setFlagsFromString('--no-optimize-for-size')
    loading ??= Promise.all([openApp(), import('./mcp-surface.ts')]).then(([app, { createSurface }]) =>
      createSurface(app),
    )
    return loading
  }
  const loaded = () => (loading ?? Promise.resolve()).catch(() => undefined)
  const frame = findManifest(config)
  const surface = frame === undefined ? await load() : deferSurface(frame, load)
  const settling = setTimeout(() => {
    openApp().catch((error) => log.debug('nothing was opened', { error }))
  }, SETTLE_MS)
  try {
    await serveStdio({ surface, caller: { ...caller, via: 'mcp' }, stdin, stdout, signal, log, loaded })
  } finally {
    clearTimeout(settling)
    // What is still being read is not waited for: nobody is left to ask it anything.
    end.abort()
    const close = async () => (opened === undefined ? folder.close() : opened.close())
    await Promise.race([close(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())])
  }
}
