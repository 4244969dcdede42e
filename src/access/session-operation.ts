import { z } from 'zod'
import { scopes } from '../operation/context.ts'
import { isLockedDown } from '../operation/lockdown/lockdown.ts'
import { type Operation, operation } from '../operation/operation.ts'

const getSession = operation({
  name: 'get_session',
  title: 'Get session',
  summary: 'Who the caller is, what its scopes allow, and whether answers are restricted.',
  effect: 'read',
  scope: 'read',
  route: 'GET /session',
  texts: 'own',
  input: z.strictObject({}),
  output: z.object({
    name: z.string().describe('Name of the caller, as in histories.'),
    scopes: z.array(z.enum(scopes)).describe('What the caller may do.'),
    token: z.boolean().describe('True: identified by a token. False: the user of this machine.'),
    lockdown: z.boolean().describe('Answers contain counts, ids and codes only.'),
    readOnly: z.boolean().describe('Only operations that change nothing are offered.'),
  }),
  run: (_input, context) => ({
    name: context.caller.name,
    scopes: scopes.filter((scope) => context.caller.scopes.has(scope)),
    token: context.caller.token === true,
    lockdown: isLockedDown(context),
    readOnly: context.readOnly === true,
  }),
})

export const sessionOperations: readonly Operation[] = [getSession]
