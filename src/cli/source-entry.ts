import { isObject } from '../kernel/json-object.ts'
import { line, showSentence } from '../kernel/shown.ts'
import { inputNode } from '../operation/input/coerce.ts'
import { UsageError } from './exit.ts'
import { toFlag } from './filter-flags.ts'
import type { Host } from './host.ts'
import { askChoice, askSecret, askText, isInteractive } from './prompt.ts'
import { readSecret, SECRET_OPTIONS, type SecretFlags } from './secret-input.ts'
import type { Session } from './session.ts'
import { sourceFlags } from './source-flags.ts'
import { listSourceForms, type SourceForm, selectForms } from './source-form.ts'

interface Entry {
  name: string | undefined
  payload: { name?: string; config: Record<string, unknown> }
}

const titles: Readonly<Record<string, string>> = { WIKI: 'Confluence wiki', BI_PLATFORM: 'Power BI' }

/**
 * Completes what the options state to an input of `create_source`: asks on a terminal for what is missing.
 * @throws UsageError that names the missing options where there is no terminal
 */
export async function completeForm(
  host: Host,
  session: Session,
  { name, payload }: Entry,
  options: SecretFlags & { type?: string },
): Promise<{ name: string; config: Record<string, unknown> }> {
  const { config } = payload
  const required = toTexts(config.required)
  const type = options.type ?? (typeof config.type === 'string' ? config.type : undefined)
  const all = listSourceForms(findConfigSchema(session))
  const known = [...new Set(all.map((form) => form.type))]
  const forms = selectForms(all, type, required)
  if (type !== undefined && selectForms(all, type, {}).length === 0)
    throw new UsageError(`--type must be ${known.join(' or ')}.`)
  const asks = isInteractive(host)
  const secret = await readSecret(host, options)
  const isComplete = isObject(config.masked)
  if (!asks)
    requireComplete({
      name: name ?? payload.name,
      forms,
      required,
      known,
      type,
      hasSecret: isComplete || secret !== undefined,
    })
  const form = await chooseForm(host, forms.length === 0 ? all : forms)
  const filled: Record<string, string> = {}
  for (const { name: member, description, isRequired } of form.fields) {
    if (required[member] === undefined && isRequired)
      filled[member] = await askText(host, showSentence(description.replace(/\.$/, '')))
  }
  const masked = isComplete
    ? config.masked
    : { [form.secret.name]: secret ?? (await askSecret(host, showSentence(toQuestion(form.secret.description)))) }
  const named =
    name ?? payload.name ?? (await askText(host, line`A name for this source`, { initial: titles[form.type] }))
  return {
    name: named,
    config: { ...config, type: form.type, required: { ...form.fixed, ...required, ...filled }, masked },
  }
}

const toQuestion = (description: string) => description.replace(/[.;(].*$/s, '').trim()

const toTexts = (value: unknown): Record<string, string> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, member]) => [key, String(member)])) : {}

function findConfigSchema({ app }: Session): unknown {
  const operation = app.operations.find(({ name }) => name === 'create_source')
  return operation === undefined ? undefined : inputNode(operation.input).properties?.config
}

interface Given {
  name: string | undefined
  forms: readonly SourceForm[]
  required: Readonly<Record<string, string>>
  known: readonly string[]
  type: string | undefined
  hasSecret: boolean
}

function requireComplete({ name, forms, required, known, type, hasSecret }: Given): void {
  const types = new Set(forms.map((form) => form.type))
  const [form] = forms
  const missing: string[] = []
  if (name === undefined) missing.push('a name for the source')
  if (type === undefined && types.size !== 1) missing.push(`--type (${known.join(' or ')})`)
  else if (form !== undefined) {
    const fields = form.fields.filter((field) => field.isRequired && required[field.name] === undefined)
    const modes = Object.keys(form.fixed).filter((member) => forms.length > 1 && required[member] === undefined)
    missing.push(...[...modes, ...fields.map((field) => field.name)].map((member) => optionOf(`required.${member}`)))
  }
  if (!hasSecret) missing.push(`the secret (${SECRET_OPTIONS})`)
  if (missing.length === 0) return
  const [only = '', ...more] = missing
  const last = more.pop()
  const list = last === undefined ? only : `${[only, ...more].join(', ')} and ${last}`
  throw new UsageError(`Without a terminal to ask on, give ${list}.`)
}

/** The option that sets a member of the payload. */
const optionOf = (path: string) => {
  const found = Object.entries(sourceFlags).find(([, flag]) => flag.path === path)
  return found === undefined ? `--set ${path}=…` : toFlag(found[0])
}

async function chooseForm(host: Host, forms: readonly SourceForm[]): Promise<SourceForm> {
  const [first, ...others] = forms
  if (first === undefined)
    throw new UsageError('No type of source fits these options together; see `assay sources add --help`.')
  if (others.length === 0 || !isInteractive(host)) return first
  const options = forms.map(({ type, fixed, secret }, index) => ({
    value: String(index),
    label: [titles[type] ?? type, ...Object.values(fixed).map((mode) => mode.toLowerCase().replaceAll('_', ' '))].join(
      ', ',
    ),
    hint: toQuestion(secret.description),
  }))
  const chosen = await askChoice(host, line`What is to be scanned?`, options)
  return forms[Number(chosen)] ?? first
}
