import { toSafeText } from '../../detectors/safe-text.ts'
import { notFound } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import type { ConnectorSession, CrawlRequest, SessionOptions } from '../connector.ts'
import { connect, type WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { crawlSpace, readPosition } from './crawl.ts'
import { type Capability, createUnlistedKinds, createWarnings } from './crawl-context.ts'
import { createLabelIndex } from './labels.ts'
import { requireReadable } from './listing.ts'
import { createOwners, type Owners } from './owners.ts'
import { findExistingPages } from './pages.ts'
import { readSample } from './sampling.ts'
import { createSiteIndex, type SiteIndex } from './site-index.ts'
import { checkScope, isFiltered, listSpaces, nameOf, type SpaceList } from './spaces.ts'
import { runTestSteps } from './test-steps.ts'
import type { PageWire, SpaceWire } from './wire.ts'

interface Work {
  client: WikiClient
  spaces: Map<string, SpaceWire>
  index: SiteIndex
  owners: Owners
  labelsOf: (pageId: string) => Promise<readonly string[] | undefined>
  sample: Map<string, PageWire[]> | undefined
  denied: Set<Capability>
}

export function openSession(options: SessionOptions<WikiConfig>): ConnectorSession {
  const { config, sampling, log } = options
  const filter = config.optional.scope.spaces
  const pace = { nextStart: 0 }
  let client: Promise<WikiClient> | undefined
  let spaces: Promise<SpaceList> | undefined
  let work: Promise<Work> | undefined

  // A failed connection is not cached, so the next caller tries again.
  const connectOnce = () => {
    client ??= connect({ ...options, pace }).catch((error: unknown) => {
      client = undefined
      throw error
    })
    return client
  }
  const listSpacesOnce = () => {
    spaces ??= connectOnce()
      .then((connected) => listSpaces(connected, filter))
      .catch((error: unknown) => {
        spaces = undefined
        throw error
      })
    return spaces
  }
  const prepareOnce = () => {
    work ??= prepare().catch((error: unknown) => {
      work = undefined
      throw error
    })
    return work
  }

  const prepare = async (): Promise<Work> => {
    const [connected, found] = await Promise.all([connectOnce(), listSpacesOnce()])
    const ids = found.spaces.map(({ id }) => id)
    return {
      client: connected,
      spaces: new Map(found.spaces.map((space) => [space.id, space])),
      index: createSiteIndex(connected, sampling.strategy === 'ALL' && !isFiltered(filter), log),
      owners: createOwners(connected, log),
      labelsOf: createLabelIndex(connected, log),
      sample: sampling.strategy === 'ALL' ? undefined : await readSample(connected.http, ids, sampling),
      denied: new Set(),
    }
  }

  return {
    async scopes() {
      const found = await listSpacesOnce()
      const warnings = checkScope(filter, found)
      return { scopes: found.spaces.map((space) => ({ key: space.id, name: nameOf(space) })), warnings }
    },

    async *crawl(request: CrawlRequest) {
      const position = readPosition(request.cursor)
      const { client: connected, spaces: found, index, owners, labelsOf, sample, denied } = await prepareOnce()
      const space = found.get(request.scope.key)
      if (space === undefined) {
        throw notFound(
          `The space ${quote(toSafeText(request.scope.name, 'prose'))} is no longer visible; check the scope of the source.`,
          {
            reason: 'gone',
          },
        )
      }
      const context = {
        client: connected,
        config,
        log,
        space,
        index,
        owners,
        known: request.known,
        warnings: createWarnings(),
        unlisted: createUnlistedKinds(config),
        denied,
      }
      const sampled = sample === undefined ? {} : { sampled: sample.get(space.id) ?? [] }
      yield* crawlSpace({ context, position, labelsOf, ...sampled })
    },

    async findLeft(ids) {
      const visible = await listSpaces(await connectOnce(), { ids: ids.filter((id) => /^\d+$/.test(id)) })
      requireReadable({ unreadable: visible.unreadable ? 1 : 0 })
      return new Map(visible.spaces.map(({ id }) => [id, 'left_out' as const]))
    },

    async findExisting(keys) {
      return await findExistingPages(await connectOnce(), keys)
    },

    test: () => runTestSteps(options, connectOnce),

    async close() {},
  }
}
