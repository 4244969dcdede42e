import { onPath, type SampleFault } from '../../sample/fault.ts'
import { hostileFiles } from './files.ts'
import { type HostileReply, listReplies } from './replies.ts'

export interface HostileCase {
  name: string
  platform: HostileReply['platform']
  faults: SampleFault[]
  /** A file that some pages have. */
  file?: { filename: string; bytes: () => Uint8Array }
  /** It may not end by itself in the time of a test, and is then cancelled. */
  isEndless: boolean
}

/** Endpoints that answer every case, and those that share the cases among them. */
const endpoints: Record<HostileReply['platform'], { all: readonly RegExp[]; shared: readonly RegExp[] }> = {
  WIKI: {
    all: [/\/spaces\/\d+\/pages$/, /\/footer-comments$/],
    shared: [
      /\/api\/v2\/spaces$/,
      /\/inline-comments$/,
      /\/children$/,
      /\/attachments$/,
      /\/labels$/,
      /\/users-bulk$/,
      /\/user\/current$/,
      /\/permissions$/,
      /\/rest\/api\/space\/\w+$/,
      /\/content\/search$/,
      /\/restriction\/byOperation\/read$/,
      /\/membersByGroupId$/,
      /\/search\/user$/,
    ],
  },
  BI_PLATFORM: {
    all: [/\/scanResult\//, /\/groups\/[\w-]+\/datasets$/],
    shared: [
      /\/groups$/,
      /\/reports$/,
      /\/dashboards$/,
      /\/tiles$/,
      /\/pages$/,
      /\/datasources$/,
      /\/parameters$/,
      /\/upstreamDataflows$/,
      /\/users$/,
      /\/getInfo$/,
      /\/scanStatus\//,
      /\/tables$/,
      /\/executeQueries$/,
      /\/linksSharedToWholeOrganization$/,
      /\/publishedToWeb$/,
      /\/token$/,
    ],
  },
}

function listOf(platform: HostileReply['platform']): HostileCase[] {
  const { all, shared } = endpoints[platform]
  return listReplies(platform).flatMap(({ name, respond }, index) =>
    [...all, shared[index % shared.length] ?? /$^/].map((path) => ({
      name: `${platform} ${path.source} ${name}`,
      platform,
      faults: [{ match: onPath(path), respond }],
      isEndless: /for ever|slow|stall|endless/.test(name),
    })),
  )
}

export const hostileCases: readonly HostileCase[] = [
  ...listOf('WIKI'),
  ...listOf('BI_PLATFORM'),
  ...Object.entries(hostileFiles).map(([name, file]) => ({
    name: `WIKI pages with ${name}`,
    platform: 'WIKI' as const,
    faults: [],
    file,
    isEndless: false,
  })),
]
