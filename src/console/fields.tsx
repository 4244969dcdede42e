import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  type FormMembers,
  type FormSchema,
  findVariant,
  isMembers,
  type Json,
  listVariants,
  read,
  toKind,
  toLabel,
  toVariant,
  toVariantName,
} from './schema.ts'

export interface Choice {
  value: string
  label: string
}

/** A member that has a control of its own. */
export type CustomField = (props: {
  value: Json
  schema: FormSchema
  path: string
  context: FieldContext
  onChange: (value: Json) => void
}) => ComponentChildren

/** What all fields of a form share; the keys are paths without numbers, or names of members. */
export interface FieldContext {
  /** What is wrong, by the path of a field. */
  issues: ReadonlyMap<string, string>
  /** The corrected values. */
  fixed: FormMembers | undefined
  labels: Readonly<Record<string, string>>
  choices: Readonly<Record<string, readonly Choice[]>>
  custom: Readonly<Record<string, CustomField>>
  /** Of something stored: empty secrets are kept. */
  isStored: boolean
  change: (path: string, value: Json) => void
}

interface FieldProps {
  schema: FormSchema
  path: string
  value: Json
  context: FieldContext
  isRequired?: boolean
}

const MAX_LINE = 250
const DAY = /^(?:\d{4}-\d\d-\d\d)?$/
const SECRET = { type: 'password', autocomplete: 'new-password' } as const
const DATE = { type: 'date', autocomplete: 'off' } as const
const TEXT = { type: 'text', autocomplete: 'off' } as const
const secrets = new Set(['api_token', 'client_secret', 'access_token', 'secret'])
const dates = new Set(['until', 'expires'])

const keyOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)
function find<Found>(known: Readonly<Record<string, Found>>, path: string): Found | undefined {
  const plain = path.replaceAll(/\.\d+/g, '')
  return known[plain] ?? known[keyOf(plain)]
}

/** The fields of an object: what is required first. */
export function Fields({ schema, path, value, context }: Omit<FieldProps, 'isRequired'>) {
  const required = schema.required ?? []
  const entries = Object.entries(schema.properties ?? {}).filter(
    ([, inner]) => inner.const === undefined && inner.readOnly !== true,
  )
  const ordered = entries.toSorted(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
  return (
    <>
      {ordered.map(([key, inner]) => (
        <Field
          key={key}
          schema={inner}
          path={path === '' ? key : `${path}.${key}`}
          value={isMembers(value) ? value[key] : undefined}
          context={context}
          isRequired={required.includes(key)}
        />
      ))}
    </>
  )
}

function Field({ schema, path, value, context, isRequired = false }: FieldProps) {
  const variants = listVariants(schema)
  const own = find(context.custom, path)
  const shape = findVariant(variants, value)
  const label = find(context.labels, path) ?? toLabel(keyOf(path))
  if (own !== undefined) {
    return (
      <Group label={label} path={path} context={context} hint={schema.description} isFolded={!isRequired}>
        {own({ value, schema: shape, path, context, onChange: (next) => context.change(path, next) })}
      </Group>
    )
  }
  const kind = toKind(shape)
  if (variants.length > 1 && kind === 'group') {
    return <Variants {...{ path, value, context, variants, shape, label }} isOpen={isRequired} />
  }
  const props = { schema: shape, path, value, context, isRequired }
  if (kind === 'group') {
    return (
      <Group label={label} path={path} context={context} hint={shape.description} isFolded={!isRequired}>
        <Fields {...props} />
      </Group>
    )
  }
  if (kind === 'list') return <ObjectList {...props} label={label} />
  if (kind === 'choices' || (kind === 'lines' && find(context.choices, path) !== undefined)) {
    return <Choices {...props} label={label} />
  }
  if (kind === 'boolean') return <Checkbox {...props} label={label} />
  return <Line {...props} label={label} />
}

/** What is wrong at a path and within it. */
function issuesIn(issues: FieldContext['issues'], path: string): string | undefined {
  const found = [...issues].flatMap(([key, message]) => (key === path || key.startsWith(`${path}.`) ? message : []))
  return found.length === 0 ? undefined : [...new Set(found)].join(' ')
}

/** Fields under a heading; those that nobody needs to fill in are folded. */
function Group({
  label,
  path,
  context,
  hint,
  isFolded,
  children,
}: {
  label: string
  path: string
  context: FieldContext
  hint?: string | undefined
  isFolded?: boolean
  children: ComponentChildren
}) {
  // Only once, so that the group does not fold while it is filled.
  const [starts] = useState(isFolded)
  const inside = (
    <>
      <Under path={path} hint={hint} context={context} />
      {children}
    </>
  )
  if (starts !== true) {
    return (
      <fieldset class="fields">
        <legend>{label}</legend>
        {inside}
      </fieldset>
    )
  }
  return (
    <details class="fields" open={issuesIn(context.issues, path) !== undefined}>
      <summary>{label}</summary>
      {inside}
    </details>
  )
}

interface VariantsProps extends Omit<FieldProps, 'schema' | 'isRequired'> {
  variants: readonly FormSchema[]
  shape: FormSchema
  label: string
  isOpen: boolean
}

/** A choice between alternatives, and the fields of the one chosen. */
function Variants({ isOpen, ...chosen }: VariantsProps) {
  const { path, context, label } = chosen
  return (
    <Group label={label} path={path} context={context} isFolded={!isOpen}>
      <VariantFields {...chosen} />
    </Group>
  )
}

function VariantFields({ path, value, context, variants, shape, label }: Omit<VariantsProps, 'isOpen'>) {
  return (
    <>
      {variants.length === 1 ? null : (
        <fieldset class="group wrap" aria-label={`Kind of ${label.toLowerCase()}`}>
          {variants.map((each) => {
            const name = toVariantName(each)
            return (
              <button
                type="button"
                key={name}
                aria-pressed={each === shape}
                onClick={() => context.change(path, toVariant(each, value))}
              >
                {context.labels[`is ${name}`] ?? context.labels[name] ?? toLabel(name)}
              </button>
            )
          })}
        </fieldset>
      )}
      <Fields schema={shape} path={path} value={value} context={context} />
    </>
  )
}

/** What is wrong with a field, or else what it is for. */
function Under({
  path,
  hint,
  context: { issues, fixed, change },
  isWhole = false,
}: {
  path: string
  hint?: string | undefined
  context: FieldContext
  /** Nothing within it has a place of its own for what is wrong. */
  isWhole?: boolean
}) {
  const issue = isWhole ? issuesIn(issues, path) : issues.get(path)
  const better = fixed === undefined ? undefined : read(fixed, path)
  return (
    <span id={`under-${path}`} class="under">
      {issue === undefined ? <span class="muted">{hint}</span> : <span class="bad-text">{issue}</span>}
      {issue === undefined || better === undefined ? null : (
        <button type="button" class="button small" onClick={() => change(path, better)}>
          Use <bdi>{typeof better === 'object' ? JSON.stringify(better) : String(better)}</bdi>
        </button>
      )}
    </span>
  )
}

type LabelledProps = FieldProps & { label: string }

/** A text, a number, a date, a secret, a choice, lines of text, or JSON. */
function Line({ schema, path, value, context, isRequired, label }: LabelledProps) {
  const hint = schema.description === `${label}.` ? undefined : schema.description
  const kind = toKind(schema)
  const isSecret = secrets.has(keyOf(path))
  const options =
    find(context.choices, path) ?? schema.enum?.map((each) => ({ value: String(each), label: toLabel(String(each)) }))
  const change = (next: Json) => context.change(path, next)
  const id = `field-${path}`
  const common = {
    id,
    'aria-invalid': issuesIn(context.issues, path) !== undefined,
    'aria-required': isRequired === true,
    'aria-describedby': `under-${path}`,
  }
  const text = toText(value, kind)
  return (
    <div class="field">
      <span>
        <label for={id}>{label}</label>
        {isRequired === true ? null : <span class="muted"> optional</span>}
      </span>
      {options !== undefined ? (
        <select {...common} value={text} onChange={({ currentTarget }) => change(currentTarget.value || undefined)}>
          {isRequired === true && text !== '' ? null : <option value="">–</option>}
          {text === '' || options.some((each) => each.value === text) ? null : <option value={text}>{text}</option>}
          {options.map((each) => (
            <option key={each.value} value={each.value}>
              {each.label}
            </option>
          ))}
        </select>
      ) : kind === 'lines' || kind === 'json' || (kind === 'text' && maxLengthOf(schema) > MAX_LINE && !isSecret) ? (
        <textarea
          {...common}
          class={kind === 'json' ? 'json' : ''}
          rows={kind === 'text' ? 3 : 2}
          spellcheck={kind === 'text'}
          value={text}
          onInput={({ currentTarget }) => change(toValue(currentTarget.value, kind))}
        />
      ) : (
        <input
          {...common}
          {...(isSecret ? SECRET : dates.has(keyOf(path)) && DAY.test(text) ? DATE : TEXT)}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          spellcheck={false}
          placeholder={isSecret && context.isStored ? 'stored; empty keeps it' : toPlaceholder(schema)}
          value={text}
          onInput={({ currentTarget }) => change(toValue(currentTarget.value, kind))}
        />
      )}
      <Under
        path={path}
        hint={kind === 'lines' ? `${hint ?? ''} One on each line.`.trim() : hint}
        context={context}
        isWhole
      />
    </div>
  )
}

const maxLengthOf = (schema: FormSchema & { maxLength?: number }) => schema.maxLength ?? 0
const toPlaceholder = ({ default: given }: FormSchema) =>
  given === undefined || typeof given === 'object' ? '' : String(given)

function toText(value: Json, kind: string): string {
  if (value === undefined || value === null) return ''
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n')
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value)
}

/** What cannot be read stays as it was typed, and the server says what is wrong. */
function toValue(text: string, kind: string): Json {
  if (text === '') return undefined
  if (kind === 'lines') return text.split('\n')
  if (kind === 'number') return Number.isFinite(Number(text)) && !/\.0*$/.test(text) ? Number(text) : text
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function Checkbox({ schema, path, value, context, label }: LabelledProps) {
  return (
    <div class="field">
      <label class="row">
        <input
          type="checkbox"
          checked={(value ?? schema.default) === true}
          aria-describedby={`under-${path}`}
          onChange={({ currentTarget }) => context.change(path, currentTarget.checked)}
        />
        {label}
      </label>
      <Under path={path} hint={schema.description} context={context} />
    </div>
  )
}

/** Several values of a fixed list. */
function Choices({ schema, path, value, context, label }: LabelledProps) {
  const [item = {}] = listVariants(schema.items ?? {})
  const options =
    find(context.choices, path) ??
    (item.enum ?? []).map((each) => ({ value: String(each), label: toLabel(String(each)) }))
  const chosen = Array.isArray(value) ? value.map(String) : []
  const toggle = (each: string) => {
    const next = chosen.includes(each) ? chosen.filter((other) => other !== each) : [...chosen, each]
    context.change(path, next.length === 0 ? undefined : next)
  }
  return (
    <fieldset class="fields plain">
      <legend>{label}</legend>
      <Under path={path} hint={schema.description} context={context} isWhole />
      <p class="row">
        {options.map((each) => (
          <label class="row" key={each.value}>
            <input type="checkbox" checked={chosen.includes(each.value)} onChange={() => toggle(each.value)} />{' '}
            {each.label}
          </label>
        ))}
      </p>
    </fieldset>
  )
}

/** A list of objects, each of which has the same fields. */
function ObjectList({ schema, path, value, context, label, isRequired = false }: LabelledProps) {
  const items = Array.isArray(value) ? value : []
  const variants = listVariants(schema.items ?? {})
  return (
    <Group label={label} path={path} context={context} hint={schema.description} isFolded={!isRequired}>
      {items.map((each: Json, index) => (
        <fieldset class="fields" key={String(index)} aria-label={`${label} ${index + 1}`}>
          <Under path={`${path}.${index}`} context={context} />
          <VariantFields
            {...{ path: `${path}.${index}`, value: each, context, variants, label: `${label} ${index + 1}` }}
            shape={findVariant(variants, each)}
          />
          <p>
            <button type="button" class="button small" onClick={() => context.change(`${path}.${index}`, undefined)}>
              Remove <span class="hidden">{`${label} ${index + 1}`}</span>
            </button>
          </p>
        </fieldset>
      ))}
      <p>
        <button
          type="button"
          class="button small"
          onClick={() => context.change(path, [...items, toVariant(variants[0] ?? {}, {})])}
        >
          Add
          <span class="hidden"> to {label}</span>
        </button>
      </p>
    </Group>
  )
}
