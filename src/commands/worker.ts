import { createAuthenticator } from '../access/gatekeeper.ts'
import type { OpenedApp } from '../app.ts'
import type { Host } from '../cli/host.ts'
import { show } from '../cli/output/show.ts'
import { listen } from '../http/listen.ts'
import { createProbeApp } from '../http/probes.ts'
import { line, showCode, showSentence } from '../kernel/shown.ts'
import { version } from '../runtime/package-files.ts'
import { createTelemetry } from '../telemetry/telemetry.ts'
import { namesOf, untilStopped } from './serve.ts'

/**
 * `assay worker`: runs scheduled work until the process is asked to stop, and answers only probes.
 * @throws AppError with another key than that of the database, under which all its scans would fail
 */
export async function work(app: OpenedApp, host: Host): Promise<void> {
  try {
    const problem = app.vault.problem()
    if (problem !== undefined) throw problem
    const { config, log, upstream, store } = app
    const lookups = await app.openLookups()
    const telemetry = createTelemetry({ files: store.files, readEstate: lookups.readEstate, upstream })
    const gatekeeper = createAuthenticator({ tokens: lookups, local: app.caller, always: true })
    const probes = createProbeApp({
      version,
      readiness: lookups.readReadiness,
      telemetry,
      hosts: namesOf(config.host),
      callerOf: ({ headers }, address) =>
        gatekeeper.authenticate({ authorization: headers.get('authorization') ?? undefined, address }),
      log,
    })
    const server = await listen(probes, { host: config.host, port: config.probePort })
    await show(
      host,
      line`Assay ${showCode(version)} works in the background; /health and /ready at ${showSentence(server.url)}`,
    )
    app.startBackground()
    await untilStopped(host.signal)
    telemetry.close()
    await server.close()
  } finally {
    await app.close()
  }
}
