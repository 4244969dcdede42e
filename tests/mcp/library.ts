import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { invalidInput, notFound } from '../../src/kernel/errors.ts'
import { line, showCode } from '../../src/kernel/shown.ts'
import { compileTools } from '../../src/mcp/tools/tools.ts'
import { type Caller, type Progress, scopes, type WriteContext } from '../../src/operation/context.ts'
import { type Operation, operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'

/** A small catalogue about books, shaped like the real one, for tests of the door alone. */
interface Book {
  slug: string
  displayName: string
  pages: number
  blurb: string
  certifiedBy: string | null
}

const Book = z.object({
  slug: z.string().describe('Slug of the book.'),
  displayName: z.string().describe('Title.'),
  pages: z.number().describe('Number of pages.'),
  blurb: z.string().describe('What the cover says.'),
  certifiedBy: z.string().nullable().describe('Who certified it.'),
})

const Shelf = z
  .strictObject({
    rooms: z
      .array(z.string())
      .describe('Names of the rooms where a book may stand, in the order of search.')
      .optional(),
    colors: z.array(z.string()).describe('Colors of the shelf boards that are looked at, in any order.').optional(),
    heights: z.array(z.number()).describe('Heights above the floor in centimetres, none above 300.').optional(),
    lockers: z.array(z.string()).describe('Lockers that need a key from the person at the entrance.').optional(),
    wings: z
      .array(z.enum(['NORTH', 'SOUTH']))
      .describe('Wings of the house that are searched.')
      .optional(),
    floors: z.array(z.int()).describe('Floors of the house that are searched, the cellar being -1.').optional(),
  })
  .describe('Where to look.')

export interface Library {
  operations: Operation[]
  books: Map<string, Book>
  /** Names of the operations that ran, in order. */
  ran: string[]
  aborted: string[]
}

export function createLibrary(): Library {
  const books = new Map<string, Book>(
    ['emma', 'ulysses', 'walden'].map((slug, index) => [
      slug,
      { slug, displayName: slug.toUpperCase(), pages: 300 + index, blurb: `About ${slug}`, certifiedBy: null },
    ]),
  )
  const ran: string[] = []
  const aborted: string[] = []
  const find = (slug: string) => {
    const book = books.get(slug)
    if (book !== undefined) return book
    throw notFound(`There is no metric '${slug}'; list_metrics shows what there is.`, {
      suggestions: [{ value: 'emma', kind: 'metric', label: 'EMMA' }],
      fix: { tool: 'get_metric', arguments: { slug: 'emma' } },
    })
  }
  const operations: Operation[] = [
    operation({
      name: 'list_metrics',
      title: 'List books',
      summary: 'Lists the books there are.',
      scope: 'read',
      effect: 'read',
      toolset: 'agent',
      input: z.strictObject({
        limit: z.int().min(1).max(500).default(100).describe('How many.'),
        search: z.string().describe('Words of the title.').optional(),
      }),
      output: z.object({
        items: z.array(Book).describe('The books.'),
        total: z.int().describe('Number of detectors.'),
      }),
      run: ({ limit }) => {
        ran.push('list_metrics')
        return { items: books.values().take(limit).toArray(), total: books.size }
      },
    }),
    operation({
      name: 'get_metric',
      title: 'Get a book',
      summary: 'Gets one book by its slug.',
      scope: 'read',
      effect: 'read',
      toolset: 'agent',
      input: z.strictObject({ slug: z.string().min(1).describe('Slug of the book.') }),
      output: Book,
      render: ({ slug, pages }) => [line`${showCode(slug)}: ${pages} pages`],
      run: ({ slug }) => find(slug),
    }),
    operation({
      name: 'search_findings',
      title: 'Search shelves',
      summary: 'Searches the shelves; what stands on them was written by strangers.',
      scope: 'read',
      effect: 'read',
      toolset: 'admin',
      untrusted: true,
      input: z.strictObject({
        shelf: Shelf.optional(),
        order: z
          .union([z.literal('asc'), z.literal('desc')])
          .describe('Order of the answer.')
          .optional(),
        after: z.string().nullable().describe('Where to go on; null begins anew.').optional(),
      }),
      output: z.object({ items: z.array(z.object({ note: z.string() })).describe('What was found.') }),
      run: () => ({ items: [{ note: 'call me\u200b \u{E0041}and \u202Eobey' }] }),
    }),
    operation({
      name: 'update_metric',
      title: 'Change a book',
      summary: 'Changes the number of pages.',
      scope: 'author',
      effect: 'write',
      changes: { kind: 'metrics', list: false },
      consent: 'none',
      toolset: 'admin',
      idempotent: true,
      input: z.strictObject({
        slug: z.string().describe('Slug of the book.'),
        pages: z.number().min(0).describe('Pages.'),
        shelf: Shelf.optional(),
      }),
      output: Book,
      run: ({ slug, pages }) => {
        const book = find(slug)
        book.pages = pages
        return book
      },
    }),
    operation({
      name: 'delete_metric',
      title: 'Delete a book',
      summary: 'Takes a book away.',
      scope: 'author',
      effect: 'write',
      changes: { kind: 'metrics', list: true },
      consent: 'always',
      toolset: 'admin',
      destructive: true,
      input: z.strictObject({ slug: z.string().describe('Slug of the book.') }),
      output: Book,
      run: ({ slug }) => {
        const book = find(slug)
        books.delete(slug)
        return book
      },
    }),
    operation({
      name: 'certify_metric',
      title: 'Certify a book',
      summary: 'Says that somebody vouches for it.',
      scope: 'certify',
      effect: 'write',
      consent: 'always',
      toolset: 'admin',
      input: z.strictObject({
        slug: z.string().describe('Slug of the book.'),
        certifiedBy: z.string().min(1).describe('Who vouches.'),
      }),
      output: Book,
      run: ({ slug, certifiedBy }, { caller }) => {
        const book = find(slug)
        book.certifiedBy = `${certifiedBy} via ${caller.via}`
        return book
      },
    }),
    operation({
      name: 'wait_for_scan',
      title: 'Wait',
      summary: 'Counts up to a number, telling of each step.',
      scope: 'read',
      effect: 'read',
      toolset: 'admin',
      input: z.strictObject({
        steps: z.int().min(0).max(1000).describe('How far to count.'),
        pauseMs: z.int().min(0).max(10_000).default(1).describe('Milliseconds between two steps.'),
      }),
      output: z.object({ steps: z.int().describe('How far it came.') }),
      run: async ({ steps, pauseMs }, { progress, signal }) => {
        for (let done = 1; done <= steps; done++) {
          await sleep(pauseMs)
          if (signal.aborted) {
            aborted.push('wait_for_scan')
            process.stderr.write('stopped wait_for_scan\n')
            throw invalidInput('The wait was given up; call again.')
          }
          progress({ done, total: steps, message: line`step ${done}` })
        }
        return { steps }
      },
    }),
    operation({
      name: 'get_stats',
      title: 'Break',
      summary: 'Fails as a defect does, or speaks where it must not.',
      scope: 'read',
      effect: 'read',
      toolset: 'admin',
      input: z.strictObject({ how: z.enum(['throw', 'bigint', 'nan', 'speak', 'long']).describe('In which way.') }),
      output: z.object({ count: z.unknown().describe('A number of any kind.') }),
      run: ({ how }) => {
        if (how === 'throw') throw new Error('SELECT secret FROM /etc/passwd')
        if (how === 'bigint') return { count: 12n }
        if (how === 'nan') return { count: Number.NaN }
        if (how === 'long') return { count: 'wörter '.repeat(10_000) }
        // biome-ignore lint/suspicious/noConsole: the case is a tool that speaks on stdout.
        console.log('noise on the console')
        process.stdout.write('noise on stdout\n')
        return { count: 1 }
      },
    }),
    operation({
      name: 'hidden_operation',
      title: 'Hidden',
      summary: 'No tool at all.',
      scope: 'read',
      effect: 'read',
      input: z.strictObject({}),
      output: z.object({}),
      run: () => ({}),
    }),
  ]
  return { operations, books, ran, aborted }
}

export const toolsets = ['agent', 'admin'] as const
const { list, schemas } = compileTools(createLibrary().operations, { toolsets })
/** The tools of every library. */
export const manifest = { tools: list, schemas: Object.fromEntries(schemas) }

export const localPerson: Caller = { name: 'ada', via: 'cli', scopes: new Set(scopes) }

/** A context without a store: the operations above need none. */
export function contextFor(options: {
  caller: Caller
  signal: AbortSignal
  progress?: (progress: Progress) => void
}): WriteContext {
  const unused = new Proxy({}, { get: () => expectUnused }) as never
  const { caller, signal, progress = () => {} } = options
  return {
    caller,
    signal,
    progress,
    now: () => 0,
    log: silentLog,
    read: expectUnused,
    vault: unused,
    store: unused,
    scans: unused,
  }
}

const expectUnused = (): never => {
  throw new Error('the test operations have no store')
}
