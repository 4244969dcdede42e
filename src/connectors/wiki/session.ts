import { toSafeText } from '../../detectors/safe-text.ts'
import { notFound } from '../../kernel/errors.ts'
import { quote } from '../../kernel/shown.ts'
import type { Audience } from '../audience.ts'
import type { ConnectorSession, CrawlRequest, SessionOptions } from '../connector.ts'
import { endsScan, reasonOf } from '../failure.ts'
import { type AudienceReader, createAudienceReader } from './audiences.ts'
import { connect, type WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import type { WikiContent } from './content.ts'
import { createCoverageNotes } from './coverage.ts'
import { crawlSpace, readPosition } from './crawl.ts'
import { createUnlistedKinds, createWarnings, warnPostsUnlisted } from './crawl-context.ts'
import { settleRefusal, toUnreadReason } from './failure.ts'
import { createLabelIndex } from './labels.ts'
import { toPageKey } from './links.ts'
import { requireReadable } from './listing.ts'
import { createOwners, type Owners } from './owners.ts'
import { readContents } from './sampling.ts'
import { createSiteIndex, type SiteIndex } from './site-index.ts'
import { checkScope, isFiltered, listSpaces, nameOf, type SpaceList, toSpaceKey } from './spaces.ts'
import { runTestSteps } from './test-steps.ts'
import { readEarlierVersions } from './versions.ts'
import { locate } from './whereabouts.ts'
import type { SpaceWire } from './wire.ts'

interface Work {
  client: WikiClient
  spaces: Map<string, SpaceWire>
  index: SiteIndex
  owners: Owners
  audiences: AudienceReader
  labelsOf: (content: WikiContent) => Promise<readonly string[] | undefined>
  /** The blog posts by space; in a sample the chosen pages and blog posts. */
  listed: ReadonlyMap<string, WikiContent[]>
  /** Ids of the listed blog posts. */
  posts: ReadonlySet<string>
  /** Why the blog posts could not be listed. */
  postsError: unknown
}

export function openSession(options: SessionOptions<WikiConfig>): ConnectorSession {
  const { config, sampling, log } = options
  const filter = config.optional.scope.spaces
  const isSample = sampling.strategy !== 'ALL'
  const pace = { nextStart: 0 }
  let client: Promise<WikiClient> | undefined
  let spaces: Promise<SpaceList> | undefined
  let work: Promise<Work> | undefined
  const notes = createCoverageNotes(config)

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

  /** Lists the sample or, where pages are listed space by space, the blog posts; without those if they cannot be listed. */
  const listContents = async (connected: WikiClient, found: SpaceList) => {
    const spaceIds = isSample || isFiltered(filter) ? found.spaces.map(({ id }) => id) : undefined
    const { http } = connected
    const types = isSample ? (['page'] as const) : []
    try {
      return {
        listed: await readContents({ http, spaceIds, types: [...types, 'blogpost'] }, sampling),
        postsError: undefined,
      }
    } catch (failure) {
      const postsError = await settleRefusal(failure, connected.isSignedIn)
      if (endsScan(postsError)) throw postsError
      notes.miss('wiki.blogpost', toUnreadReason(postsError))
      return { listed: await readContents({ http, spaceIds, types }, sampling), postsError }
    }
  }

  const prepare = async (): Promise<Work> => {
    const [connected, found] = await Promise.all([connectOnce(), listSpacesOnce()])
    const { listed, postsError } = await listContents(connected, found)
    const leastPages = isFiltered(filter) ? found.spaces.length : Number.POSITIVE_INFINITY
    const index = createSiteIndex(connected, isSample ? 0 : leastPages, log)
    const items = [...listed.values()].flat()
    index.expect(items.length)
    const owners = createOwners(connected, log)
    return {
      client: connected,
      spaces: new Map(found.spaces.map((space) => [space.id, space])),
      index,
      owners,
      audiences: createAudienceReader(connected, owners, log),
      labelsOf: createLabelIndex(connected, log),
      listed,
      posts: new Set(items.flatMap(({ type, id }) => (type === 'blogpost' ? id : []))),
      postsError,
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
      const { spaces: found, labelsOf, listed, postsError, ...shared } = await prepareOnce()
      if (request.readings !== undefined) shared.index.recall(request.readings, options.now())
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
        ...shared,
        config,
        log,
        space,
        known: request.known,
        warnings: createWarnings(),
        unlisted: createUnlistedKinds(config),
        denied: notes.denied,
      }
      if (postsError !== undefined) warnPostsUnlisted(context, postsError)
      yield* crawlSpace({ context, position, labelsOf, listed: listed.get(space.id) ?? [], isSample })
    },

    async findLeft(ids) {
      const visible = await listSpaces(await connectOnce(), { ids: ids.filter((id) => /^\d+$/.test(id)) })
      requireReadable({ unreadable: visible.unreadable ? 1 : 0 })
      return new Map(visible.spaces.map(({ id }) => [id, 'left_out' as const]))
    },

    async findExisting(keys) {
      const connected = await connectOnce()
      const isContent = (key: string) => key.startsWith(toPageKey(connected, ''))
      const places = await locate(connected, keys.filter(isContent))
      return new Set([...places].flatMap(([key, place]) => (place === 'current' || place === 'archived' ? key : [])))
    },

    async locate(keys) {
      const places = await locate(await connectOnce(), keys)
      if (places.values().some((place) => place === 'unknown')) notes.miss('trash', 'refused')
      return places
    },

    async *earlierVersions(key, request) {
      const { client: connected, index, posts } = await prepareOnce()
      const typeOf = (id: string) => (posts.has(id) ? 'blogpost' : 'page')
      try {
        yield* readEarlierVersions({ client: connected, config, index }, key, request, typeOf)
      } catch (error) {
        if (reasonOf(error) === 'forbidden') notes.miss('earlier versions', 'refused')
        throw error
      }
    },

    async audiences(scope, keys) {
      const { client: connected, spaces: known, audiences } = await prepareOnce()
      const space = known.get(scope.key)
      const ids = new Map(
        keys.flatMap((key) => (key.startsWith(toPageKey(connected, '')) ? [[key, key.split(':').at(-1) ?? '']] : [])),
      )
      if (space === undefined) return new Map()
      const { own, items } = await audiences.read(space, [...ids.values()])
      const ofItems = [...ids].map(([key, id]): [string, Audience] => [key, items.get(id) ?? own])
      return new Map([[toSpaceKey(connected, space.id), own], ...ofItems])
    },

    coverage: notes.summarize,

    test: () => runTestSteps(options, connectOnce),

    async close() {},
  }
}
