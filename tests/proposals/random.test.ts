import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createToken, revokeToken } from '../../src/access/tokens.ts'
import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { type Caller, expandScopes, type Scope, type WriteContext } from '../../src/operation/context.ts'
import { caller, contextOf, localPerson, NOON, openStore } from '../support/context.ts'
import { cases, maxMs } from '../support/long.ts'

// Proposals, direct changes and decisions of five principals in any order, compared with a model of what is to happen.

const DAY = 86_400_000
const principals = {
  ann: ['author', 'propose'],
  bob: ['author', 'certify', 'propose'],
  cat: ['certify'],
  bot: ['propose'],
  eve: ['read', 'propose'],
} as const satisfies Record<string, readonly Scope[]>
type Who = keyof typeof principals
const everyone = Object.keys(principals) as Who[]
const verbs = ['create', 'update', 'certify', 'deprecate', 'delete'] as const
type Verb = (typeof verbs)[number]

interface Change {
  verb: Verb
  slug: string
  unit: string
}

type Step =
  | { do: 'change'; who: Who; change: Change }
  | { do: 'propose'; who: Who; change: Change }
  | { do: 'approve' | 'approveTwice' | 'reject'; who: Who; nth: number }
  | { do: 'revoke'; who: Who }
  | { do: 'wait'; days: number }

const who = fc.constantFrom(...everyone)
const change = fc.record({
  verb: fc.oneof(
    { weight: 5, arbitrary: fc.constant('update' as const) },
    { weight: 3, arbitrary: fc.constant('certify' as const) },
    { weight: 3, arbitrary: fc.constantFrom(...verbs) },
  ),
  slug: fc.constantFrom('m-a', 'm-b'),
  unit: fc.constantFrom('findings', 'pages', 'items'),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('propose' as const), who, change }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('change' as const), who, change }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('approve' as const, 'approve' as const, 'approveTwice' as const, 'reject' as const),
      who,
      nth: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke' as const), who: fc.constantFrom('bot', 'eve') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), days: fc.constantFrom(3, 14) }) },
) as fc.Arbitrary<Step>

const scopeOf = (verb: Verb): Scope => (verb === 'certify' ? 'certify' : 'author')
const has = (name: Who, scope: Scope) => expandScopes(principals[name]).has(scope)

interface Metric {
  unit: string
  status: string
  /** Increased by every change. */
  revision: number
  /** Who made or proposed the present meaning. */
  makers: (Who | undefined)[]
}

interface Proposal {
  by: Who
  change: Change
  revision: number | undefined
  status: 'open' | 'approved' | 'rejected' | 'failed'
  endsAt: number
}

/** What is to happen: `done`, `unchanged`, or the code of the error. */
class Model {
  now = NOON
  readonly metrics = new Map<string, Metric>()
  readonly proposals: Proposal[] = []
  readonly revoked = new Set<Who>()
  /** The changes that took place, each with who made and who proposed it. */
  readonly done: { action: string; name: string; actor: Who; proposedBy: Who | undefined }[] = []
  #revisions = 0

  change(by: Who, change: Change): string {
    if (!has(by, scopeOf(change.verb))) return has(by, 'propose') ? 'consent_required' : 'forbidden'
    const problem = this.#findProblem(change)
    if (problem !== undefined) return problem
    return this.#isOwn(by, change) ? 'forbidden' : this.#apply(change, by)
  }

  propose(by: Who, change: Change): string {
    if (!has(by, 'propose')) return 'forbidden'
    const problem = this.#findProblem(change)
    if (problem !== undefined) return problem
    const { verb, slug, unit } = change
    const present = this.metrics.get(slug)
    if (verb === 'update' && present?.unit === unit) return 'unchanged'
    const revision = present?.revision
    const isSame = (other: Proposal) => {
      const isAlike = other.change.verb === verb && other.change.slug === slug
      const isOpen = other.status === 'open' && other.endsAt > this.now
      const hasUnit = ['create', 'update'].includes(verb)
      return (
        isAlike && isOpen && other.by === by && other.revision === revision && (!hasUnit || other.change.unit === unit)
      )
    }
    if (this.proposals.some(isSame)) return 'repeated'
    this.proposals.push({ by, change, revision, status: 'open', endsAt: this.now + 14 * DAY })
    return 'done'
  }

  approve(by: Who, proposal: Proposal): string {
    const { change } = proposal
    if (!has(by, scopeOf(change.verb))) return 'forbidden'
    if (proposal.status !== 'open' || proposal.endsAt <= this.now) return 'conflict'
    if (proposal.by === by) return 'forbidden'
    const fail = (code: string) => {
      proposal.status = 'failed'
      return code
    }
    if (this.revoked.has(proposal.by)) return fail('conflict')
    const problem = this.#findProblem(change)
    if (problem !== undefined) return fail(problem)
    if (this.#isOwn(by, change)) return 'forbidden'
    if (this.metrics.get(change.slug)?.revision !== proposal.revision) return fail('conflict')
    proposal.status = 'approved'
    return this.#apply(change, by, proposal.by)
  }

  reject(by: Who, proposal: Proposal): string {
    if (proposal.by !== by && !has(by, scopeOf(proposal.change.verb))) return 'forbidden'
    if (proposal.status !== 'open' || proposal.endsAt <= this.now) return 'conflict'
    proposal.status = 'rejected'
    return 'done'
  }

  #findProblem({ verb, slug }: Change): string | undefined {
    const isThere = this.metrics.has(slug)
    if (verb === 'create') return isThere ? 'conflict' : undefined
    return isThere ? undefined : 'not_found'
  }

  /** Four eyes: whoever made or proposed what it means. */
  #isOwn(by: Who, { verb, slug }: Change): boolean {
    return verb === 'certify' && this.metrics.get(slug)?.makers.includes(by) === true
  }

  #apply({ verb, slug, unit }: Change, actor: Who, proposedBy?: Who): string {
    const present = this.metrics.get(slug)
    if (verb === 'update' && present?.unit === unit) return 'unchanged'
    this.#revisions += 1
    this.done.push({ action: verb, name: slug, actor, proposedBy })
    const made = { unit, status: 'DRAFT', revision: this.#revisions, makers: [actor, proposedBy] }
    if (verb === 'delete') this.metrics.delete(slug)
    else if (verb === 'create' || verb === 'update' || present === undefined) this.metrics.set(slug, made)
    else {
      const status = verb === 'certify' ? 'ACTIVE' : 'DEPRECATED'
      this.metrics.set(slug, { ...present, status, revision: this.#revisions })
    }
    return 'done'
  }
}

const definition = { aggregation: 'COUNT', entity: 'finding' }

function toCall({ verb, slug, unit }: Change): [operation: string, input: object] {
  if (verb === 'create') return ['create_metric', { slug, displayName: slug, type: 'SIMPLE', definition, unit }]
  return [`${verb}_metric`, verb === 'update' ? { slug, unit } : { slug }]
}

const codeOf = (error: unknown) => {
  if (!(error instanceof AppError)) throw error
  return error.facts.reason === 'consent_required' ? 'consent_required' : error.code
}

async function play(steps: readonly Step[]): Promise<void> {
  const model = new Model()
  const { store, remove } = openStore(() => model.now)
  try {
    const context: WriteContext = {
      ...contextOf({ store, now: () => model.now, caller: localPerson }),
      fourEyes: 'always',
    }
    const callers = new Map<Who, Caller>(
      everyone.map((name) => {
        const token = createToken(context, { name, scopes: principals[name], expiresAt: NOON + 3650 * DAY })
        const scopes = expandScopes(principals[name])
        return [name, { name, id: `token/${token.id}`, via: 'http', token: true, scopes }]
      }),
    )
    const as = (name: Who) => caller(operations, { ...context, caller: callers.get(name) ?? localPerson })
    const ids: string[] = []
    const run = async (work: Promise<unknown>): Promise<string> => work.then(() => 'done').catch(codeOf)
    const first = ['m-a', 'm-b'].map((slug): Step => {
      return { do: 'change', who: 'ann', change: { verb: 'create', slug, unit: 'findings' } }
    })
    for (const step of [...first, ...steps]) {
      // Each change has a time of its own.
      model.now += 1
      if (step.do === 'wait') model.now += step.days * DAY
      else if (step.do === 'revoke') {
        if (!model.revoked.has(step.who)) revokeToken(context, step.who)
        model.revoked.add(step.who)
      } else if (step.do === 'change') {
        const wanted = model.change(step.who, step.change)
        const outcome = await run(as(step.who)(...toCall(step.change)))
        expect(outcome, JSON.stringify(step)).toBe(wanted === 'unchanged' ? 'done' : wanted)
      } else if (step.do === 'propose') {
        const wanted = model.propose(step.who, step.change)
        const [operation, input] = toCall(step.change)
        const made = await as(step.who)('propose_change', { operation, input }).catch((error: unknown) => ({
          status: codeOf(error),
        }))
        if (wanted === 'done') ids.push(made.proposal?.id)
        const outcome = { done: 'proposed', repeated: 'proposed', unchanged: undefined }[wanted]
        expect(made.status, JSON.stringify(step)).toBe(
          wanted in { done: 1, repeated: 1, unchanged: 1 } ? outcome : wanted,
        )
      } else {
        const proposal = model.proposals[step.nth]
        const id = ids[step.nth]
        if (proposal === undefined || id === undefined) continue
        const name = step.do === 'reject' ? 'reject_proposal' : 'approve_proposal'
        const times = step.do === 'approveTwice' ? 2 : 1
        const wanted = Array.from({ length: times }, () => {
          return step.do === 'reject' ? model.reject(step.who, proposal) : model.approve(step.who, proposal)
        })
        const outcomes = await Promise.all(wanted.map(() => run(as(step.who)(name, { id }))))
        expect(outcomes.toSorted(), JSON.stringify(step)).toEqual(wanted.toSorted())
      }
    }
    await compare(model, as('bob'), ids)
  } finally {
    remove()
  }
}

/** Definitions, proposals, audit trail and histories say the same as the model. */
async function compare(model: Model, ask: ReturnType<typeof caller>, ids: readonly string[]): Promise<void> {
  for (const slug of ['m-a', 'm-b']) {
    const wanted = model.metrics.get(slug)
    const found = await ask('get_metric', { slug }).catch(() => undefined)
    expect(found && { unit: found.unit, status: found.status }, slug).toEqual(
      wanted && { unit: wanted.unit, status: wanted.status },
    )
  }
  for (const [index, { status, endsAt, by }] of model.proposals.entries()) {
    const shown = status === 'open' && endsAt <= model.now ? 'expired' : status
    expect(await ask('get_proposal', { id: ids[index] })).toMatchObject({ status: shown, proposedBy: by })
  }
  const entries: Record<string, string>[] = []
  let cursor: string | undefined
  do {
    const page = await ask('list_audit', { limit: 500, ...(cursor === undefined ? {} : { cursor }) })
    entries.push(...page.items)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  const own = entries.filter(({ name = '', kind }) => kind === 'metric' && name.startsWith('m-')).reverse()
  expect(own.map(({ action, name, actor, proposedBy }) => ({ action, name, actor, proposedBy }))).toEqual(model.done)
  const approvals = entries.filter(({ kind, action }) => kind === 'proposal' && action === 'approve')
  expect(approvals.map(({ name }) => name).sort()).toEqual(
    ids.filter((_, index) => model.proposals[index]?.status === 'approved').sort(),
  )
}

/** A database on a server takes seconds to make. */
const numRuns = process.env.ASSAY_TEST_STORE === undefined ? cases(200, 10_000) : cases(10, 500)

test('nothing takes place that was not approved as shown, and nothing twice', { timeout: maxMs(120_000) }, async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), play), {
    numRuns,
  })
})
