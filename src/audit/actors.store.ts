import { toSafeText } from '../detectors/safe-text.ts'
import { line, type PrintableText, showName } from '../kernel/shown.ts'
import { comparand, db } from '../store/builder.ts'
import type { Reader } from '../store/store.ts'
import { type Author, toSafeActorId } from './audit.store.ts'

/** How the id of a caller with a token of the database begins. */
export const TOKEN_PREFIX = 'token/'

/** Who made a change, as the trail has it. */
export interface Actor {
  name: string
  id: string | null
}

/** Who did something to a definition at an instant. */
export function findActor(
  reader: Reader,
  { kind, name, action, at }: { kind: string; name: string; action: string; at: number },
): Actor | undefined {
  const row = reader.first(
    db
      .selectFrom('audit')
      .select(['actor', 'actor_id'])
      .where('kind', '=', kind)
      .where('at', '=', at)
      .where('name', '=', comparand(name))
      .where('action', '=', action)
      .orderBy('seq', 'desc')
      .limit(1),
  )
  return row === undefined ? undefined : { name: row.actor, id: row.actor_id }
}

/** Who made a proposal. */
export const findProposer = (reader: Reader, proposal: string): Actor | undefined => {
  const row = reader.first(
    db
      .selectFrom('audit')
      .select(['actor', 'actor_id'])
      .where('kind', '=', 'proposal')
      .where('name', '=', comparand(proposal))
      .where('action', '=', 'propose'),
  )
  return row === undefined ? undefined : { name: row.actor, id: row.actor_id }
}

export const isActor = ({ name, id }: Actor, author: Pick<Author, 'name' | 'id'>): boolean =>
  author.id === undefined ? id === null && name === toSafeText(author.name, 'prose') : id === toSafeActorId(author.id)

/** The name that was authenticated; that of a token says that it is one. */
export const showActor = ({ name, id }: Actor): PrintableText =>
  id?.startsWith(TOKEN_PREFIX) === true ? line`token ${showName(name)}` : showName(name)
