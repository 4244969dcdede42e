import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { client, type ServerProblem, toProblem } from './client.ts'
import { type FieldContext, Fields } from './fields.tsx'
import { flatten, toPathText } from './flatten.ts'
import { refresh, useAnswer } from './hooks.ts'
import { ProblemNote, Shape } from './parts.tsx'
import {
  applyPatch,
  type FormMembers,
  type FormSchema,
  isMembers,
  read,
  toBody,
  toChange,
  toFieldPath,
  toPatch,
  toSendable,
  write,
} from './schema.ts'
import { complain, say } from './toast.tsx'

interface OperationFormProps<Answer> {
  /** The operation whose input is asked for. */
  operation: string
  /** Values of the parameters in its path. */
  at?: Readonly<Record<string, string>>
  start?: FormMembers
  /** Reads what is stored now, in the form of `start`, to see whether it was changed meanwhile. */
  readAgain?: () => Promise<FormMembers>
  /** What of a change is sent: the members that differ, or what differs in them; absent: the whole form. */
  sends?: 'members' | 'patch'
  /** Changes what is asked for, by what was chosen so far. */
  refine?: (schema: FormSchema, value: FormMembers) => FormSchema
  /** Changes other members with one that was changed. */
  adjust?: (value: FormMembers, path: string) => FormMembers
  labels?: FieldContext['labels']
  choices?: FieldContext['choices']
  custom?: FieldContext['custom']
  /** Shows the whole as JSON, too, which can be edited. */
  hasJson?: boolean
  save: string
  /** What is said once it is saved; of a change, with the offer to undo it. */
  done?: string
  note?: ComponentChildren
  /** Drawn beside the form, from what is in it and from what would be sent. */
  aside?: (value: FormMembers, sent: FormMembers) => ComponentChildren
  onSaved: (answer: Answer, value: FormMembers) => void
  onCancel?: () => void
}

const nothing: FormMembers = {}

/** The name in paths that a display name suggests. */
const toSlug = (name: unknown): string =>
  String(name ?? '')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** A form made from the schema of an operation. What is typed stays until it is saved or given up. */
export function OperationForm<Answer>(props: OperationFormProps<Answer>) {
  const { operation, at = {}, start = nothing, readAgain, sends, refine, save, done } = props
  const { adjust, note, aside, onSaved, onCancel } = props
  const { value: found, problem: missing } = useAnswer(`form ${operation}`, () => client.getForm(operation))
  const [value, setValue] = useState<FormMembers>(start)
  const before = useRef<FormMembers>(start)
  const [changed, setChanged] = useState<FormMembers>()
  const [problem, setProblem] = useState<ServerProblem>()
  const [isSaving, setSaving] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (problem !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [problem])
  if (found === undefined) return missing === undefined ? <Shape height={320} /> : <ProblemNote problem={missing} />
  const { properties = {}, ...rest } = found.schema
  const asked: FormSchema = {
    ...rest,
    properties: Object.fromEntries(Object.entries(properties).filter(([key]) => at[key] === undefined)),
  }
  const schema = refine?.(asked, value) ?? asked
  const issues = new Map<string, string>()
  for (const { path, message } of problem?.issues ?? []) {
    const key = toFieldPath(path)
    issues.set(key, [issues.get(key), message].filter(Boolean).join(' '))
  }
  const fixed = problem?.fix?.tool === operation ? problem.fix.arguments : undefined
  const toBodies = (whole: FormMembers) =>
    [before.current, whole].map((each) => toBody(schema, each)) as [FormMembers, FormMembers]
  const toSent = (from: FormMembers, to: FormMembers): FormMembers =>
    sends === 'patch' ? toPatch(from, to) : sends === 'members' ? toSendable(schema, toChange(from, to)) : to
  const send = async (whole: FormMembers) => {
    setSaving(true)
    setProblem(undefined)
    setChanged(undefined)
    try {
      const now = await readAgain?.()
      if (now !== undefined && Object.keys(toChange(before.current, now)).length > 0) {
        setChanged(now)
      } else {
        const [earlier, body] = toBodies(whole)
        const answer = await client.callForm<Answer>(found, at, toSent(earlier, body))
        const undo = () =>
          client.callForm(found, at, toSent(body, earlier)).then(
            () => {
              say('Undone')
              refresh()
            },
            (error: Error) => complain(error.message),
          )
        onSaved(answer, whole)
        if (done !== undefined) say(done, readAgain === undefined ? undefined : undo)
      }
    } catch (error) {
      const failed = toProblem(error)
      setProblem(failed)
      if (failed.status === 401) refresh()
    }
    setSaving(false)
  }
  const context: FieldContext = {
    issues,
    fixed,
    labels: props.labels ?? {},
    choices: props.choices ?? {},
    custom: props.custom ?? {},
    isStored: readAgain !== undefined,
    change: (path, member) =>
      setValue((whole) => {
        const written = write(whole, path, member) as FormMembers
        const next = adjust?.(written, path) ?? written
        const isNamed = path === 'displayName' && (whole.slug ?? '') === toSlug(whole.displayName)
        return isNamed && schema.properties?.slug !== undefined ? { ...next, slug: toSlug(member) } : next
      }),
  }
  const json = props.hasJson === true ? <JsonPane schema={schema} value={value} onChange={setValue} /> : null
  return (
    <div class={aside === undefined ? '' : 'with-aside'}>
      <form
        ref={form}
        class="card form"
        noValidate
        autocomplete="off"
        onSubmit={(event) => {
          event.preventDefault()
          send(value)
        }}
      >
        <Fields schema={schema} path="" value={value} context={context} />
        {aside === undefined ? json : null}
        {changed === undefined ? null : (
          <Conflict
            before={before.current}
            now={changed}
            onKeep={() => {
              // What only the other one changed stays as it is now.
              const merged = applyPatch(changed, toPatch(before.current, value))
              before.current = changed
              setValue(merged)
              send(merged)
            }}
            onTake={() => {
              before.current = changed
              setChanged(undefined)
              setValue(changed)
            }}
          />
        )}
        {problem === undefined ? null : <ProblemNote problem={problem} />}
        {problem?.status === 0 ? (
          <p class="muted">Nothing that you typed is lost; save again when it answers.</p>
        ) : null}
        {fixed === undefined ? null : (
          <p class="row">
            <button type="button" class="button small" onClick={() => setValue(toForm(fixed, at))}>
              Use the corrected values
            </button>
          </p>
        )}
        <p class="row">
          <button type="submit" class="button primary" disabled={isSaving}>
            {save}
          </button>
          {onCancel === undefined ? null : (
            <button type="button" class="button" onClick={onCancel}>
              Cancel
            </button>
          )}
          {note === undefined ? null : <span class="muted">{note}</span>}
        </p>
      </form>
      {aside === undefined ? null : (
        <div class="aside">
          {json}
          {aside(toBodies(value)[1], toSent(...toBodies(value)))}
        </div>
      )}
    </div>
  )
}

const toForm = (call: FormMembers, at: Readonly<Record<string, string>>): FormMembers =>
  Object.fromEntries(Object.entries(call).filter(([key]) => at[key] === undefined))

/** What was changed elsewhere since the form was opened. */
function Conflict({
  before,
  now,
  onKeep,
  onTake,
}: {
  before: FormMembers
  now: FormMembers
  onKeep: () => void
  onTake: () => void
}) {
  const changes = toChange(before, now)
  const show = (value: unknown) =>
    flatten(isMembers(value) ? value : { '': value })
      .map(({ path, text }) => `${toPathText(path)} ${text}`.trim())
      .join(', ') || 'nothing'
  return (
    <div class="note" role="alert">
      <p>Someone else has changed this since you opened it.</p>
      <dl class="pairs">
        {Object.keys(changes).map((key) => (
          <Fragment key={key}>
            <dt>{toPathText(key)}</dt>
            <dd>
              was {show(read(before, key))}; is now <b>{show(read(now, key))}</b>
            </dd>
          </Fragment>
        ))}
      </dl>
      <p class="row">
        <button type="button" class="button small" onClick={onKeep}>
          Save mine all the same
        </button>
        <button type="button" class="button small" onClick={onTake}>
          Take theirs
        </button>
      </p>
    </div>
  )
}

/** The form as JSON; what is typed here is shown in the fields as soon as it can be read. */
function JsonPane({
  schema,
  value,
  onChange,
}: {
  schema: FormSchema
  value: FormMembers
  onChange: (value: FormMembers) => void
}) {
  const [typed, setTyped] = useState<string>()
  const [wrong, setWrong] = useState<string>()
  return (
    <details>
      <summary class="link">As JSON</summary>
      <textarea
        aria-label="As JSON"
        class="json"
        rows={12}
        spellcheck={false}
        aria-invalid={wrong !== undefined}
        value={typed ?? JSON.stringify(toBody(schema, value), null, 2)}
        onInput={({ currentTarget: { value: text } }) => {
          setTyped(text)
          try {
            const parsed: unknown = JSON.parse(text)
            setWrong(isMembers(parsed) ? undefined : 'It must be an object.')
            if (isMembers(parsed)) onChange(parsed)
          } catch (error) {
            setWrong(error instanceof Error ? error.message : String(error))
          }
        }}
        onBlur={() => wrong === undefined && setTyped(undefined)}
      />
      <span class="under bad-text" role="status">
        {wrong}
      </span>
    </details>
  )
}
