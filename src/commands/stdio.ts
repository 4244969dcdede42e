import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenedApp } from '../app.ts'
import type { Host } from '../cli/host.ts'
import type { Config } from '../config.ts'
import type { McpSurface } from '../mcp/protocol.ts'
import { serveStdio } from '../mcp/stdio/stdio.ts'
import { deferSurface, findManifest } from '../mcp/tools/manifest.ts'
import { openFolder } from './data-folder.ts'

/** The assistant's host waits two seconds in total; answers in flight get most of that. */
const CLOSE_MS = 400
/** Clients request their lists first; the modules that answer questions are loaded once those are likely sent. */
const SETTLE_MS = 250

/**
 * `assay mcp`: runs until the assistant disconnects or the process is asked to stop. The data folder is opened before
 * the first answer; the modules that run operations are loaded after it.
 */
export async function speakOverStdio(config: Config, env: NodeJS.ProcessEnv, host: Host): Promise<void> {
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
      opened.startAnswering({ asksServer: true })
      if (config.background) opened.startBackground()
      return opened
    })
    return opening
  }
  let loading: Promise<McpSurface> | undefined
  const load = () => {
    loading ??= Promise.all([openApp(), import('./mcp-surface.ts')]).then(([app, { createSurface }]) => {
      return createSurface(app)
    })
    return loading
  }
  const loaded = () => (loading ?? Promise.resolve()).catch(() => undefined)
  const manifest = findManifest(config)
  const surface = manifest === undefined ? await load() : deferSurface(manifest, load)
  const settling = setTimeout(() => {
    openApp().catch((error) => log.debug('the data folder was not opened', { error }))
  }, SETTLE_MS)
  try {
    await serveStdio({ surface, caller: { ...caller, via: 'mcp' }, stdin, stdout, signal, log, loaded })
  } finally {
    clearTimeout(settling)
    // A pending load is not awaited, because no client is left to use it.
    end.abort()
    const close = async () => (opened === undefined ? folder.close() : opened.close())
    await Promise.race([close(), sleep(CLOSE_MS, undefined, { ref: false })])
  }
}
