import { line, type PrintableText } from '../kernel/shown.ts'
import type { Host } from './host.ts'
import { show } from './output/show.ts'
import { agrees } from './prompt.ts'
import { printJson, type Session } from './session.ts'

interface Removal {
  name: PrintableText
  /** What goes with it, for the question; default: its name. */
  what?: PrintableText
  operation: string
  input: Record<string, unknown>
  yes?: boolean
  json?: boolean
}

/** Removes something that has a name after a confirmation. @throws UsageError without an answer, and errors of the operation */
export async function removeNamed(host: Host, session: Session, removal: Removal): Promise<void> {
  const { name, what = name, operation, input, yes, json } = removal
  if (yes !== true && !(await agrees(host, line`Remove ${what} for good?`)))
    return show(host, line`Nothing was changed.`)
  const removed = await session.call(operation, input)
  if (json === true) return printJson(host, removed)
  await show(host, line`${name} is removed.`)
}
