import { openSafeSession, type SafeSessionOptions } from '../../src/connectors/safe-session.ts'
import { createNumberer } from '../../src/detectors/fingerprint.ts'
import { toLoggedText } from '../../src/detectors/safe-text.ts'
import { createLog } from '../../src/runtime/log.ts'
import { parseConfig } from '../../src/sources/config.ts'
import { installedPlugins } from '../../src/sources/operations.ts'

type Note = (where: string, text: string) => void

/**
 * Crawls a tenant to its end through the gate, without a database, and passes on everything that would be stored. A
 * platform whose states nobody understands is waited for no longer than `maxMs`.
 */
export async function crawlThroughGate(
  config: Record<string, unknown>,
  platform: string,
  note: Note,
  maxMs: number,
): Promise<void> {
  const { connector, payload } = parseConfig(installedPlugins, config)
  const say = (kind: string, value: unknown) => note(`${kind} of ${platform}`, JSON.stringify(value) ?? '')
  const options: SafeSessionOptions = {
    config: payload,
    sampling: { strategy: 'ALL', limit: 1000, seed: 0 },
    signal: AbortSignal.timeout(maxMs),
    log: createLog({ level: 'debug', hide: toLoggedText, now: () => 0, write: (line) => note('the log', line) }),
    now: Date.now,
    rememberTenantId: (id) => say('the id', id),
  }
  const session = openSafeSession(connector, options, createNumberer(Buffer.alloc(32, 1)))
  try {
    say('a test', await session.test())
    const { scopes, warnings } = await session.scopes()
    say('the scopes', [scopes, warnings])
    for (const scope of scopes) {
      for await (const batch of session.crawl({ scope, known: () => new Map() })) {
        say('a batch', { ...batch, assets: [] })
        for (const asset of batch.assets) {
          await asset.document?.().catch((error) => say('an error', toTexts(error)))
          // The unmasked input of detectors is never stored.
          const { original: _original, document: _document, outline: _outline, ...stored } = asset
          say('an asset', stored)
        }
      }
    }
    say('the scopes left', [...((await session.findLeft?.(scopes.map(({ key }) => key))) ?? [])])
  } catch (error) {
    say('an error', toTexts(error))
  } finally {
    await session.close()
  }
}

const toTexts = (error: unknown) => (error instanceof Error ? { ...error, message: error.message } : { error })
