import { useState } from 'preact/hooks'
import type { HistoryMode, Source } from '../../sources/model.ts'
import { client, ServerProblem } from '../client.ts'
import { ProblemNote } from '../parts.tsx'
import { findKind, type SourceValues, schedulePresets, sourceKinds, toConfig, toValues } from '../source-fields.ts'

const SECRET = { type: 'password', autocomplete: 'new-password' } as const
const TEXT = { type: 'text', autocomplete: 'off' } as const

interface SourceFormProps {
  /** The source to change; absent for a new one. */
  source?: Source
  onSaved: (source: Source) => void
  onCancel: () => void
}

/** Adds a source or changes one; a secret is written and never read back. */
export function SourceForm({ source, onSaved, onCancel }: SourceFormProps) {
  const [kindName, setKindName] = useState((source && findKind(source.config)) ?? 'wiki')
  const kind = sourceKinds[kindName]
  const [name, setName] = useState(source?.name ?? '')
  const [values, setValues] = useState<SourceValues>(source && kind ? toValues(kind, source.config) : {})
  const [history, setHistory] = useState(source?.history ?? 'vanished')
  const [problem, setProblem] = useState<ServerProblem>()
  const [isSaving, setSaving] = useState(false)
  if (kind === undefined) return null
  const isStored = source !== undefined
  const set = (key: string, value: string) => setValues({ ...values, [key]: value })
  const listIssues = (path: string) =>
    (problem?.issues ?? []).filter((issue) => issue.path === path || issue.path.endsWith(`.${path}`))
  const save = async (event: Event) => {
    event.preventDefault()
    setSaving(true)
    setProblem(undefined)
    try {
      const config = toConfig(kind, values, isStored)
      onSaved(
        await (isStored
          ? client.updateSource(source.name, { config, history })
          : client.createSource({ name, config, history })),
      )
    } catch (error) {
      setProblem(error instanceof ServerProblem ? error : new ServerProblem(-1, { detail: String(error) }))
      setSaving(false)
    }
  }
  return (
    <form class="card form" onSubmit={save} autocomplete="off">
      {isStored ? null : (
        <>
          <fieldset class="group wrap" aria-label="Kind of source">
            {Object.entries(sourceKinds).map(([each, { label }]) => (
              <button type="button" key={each} aria-pressed={each === kindName} onClick={() => setKindName(each)}>
                {label}
              </button>
            ))}
          </fieldset>
          <label>
            Name
            <input
              required
              maxLength={100}
              placeholder="Company wiki"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
        </>
      )}
      <div class="field">
        <label for="history">Earlier versions</label>
        <select id="history" value={history} onChange={(event) => setHistory(event.currentTarget.value as HistoryMode)}>
          <option value="vanished">of what vanished</option>
          <option value="all">all</option>
          <option value="off">none</option>
        </select>
      </div>
      {kind.fields.map(({ path, label, hint, placeholder, isSecret = false, isOptional = false }) => {
        const issues = listIssues(path)
        const id = `field-${path}`
        return (
          <div class="field" key={`${kindName} ${path}`}>
            <label for={path}>{label}</label>
            <input
              {...(isSecret ? SECRET : TEXT)}
              id={path}
              spellcheck={false}
              required={!isOptional && !(isSecret && isStored)}
              placeholder={isSecret && isStored ? 'stored; empty keeps it' : (placeholder ?? '')}
              value={values[path] ?? ''}
              aria-invalid={issues.length > 0}
              aria-describedby={hint !== undefined || issues.length > 0 ? id : undefined}
              onInput={(event) => set(path, event.currentTarget.value)}
            />
            <span id={id} class="under">
              {issues.length > 0 ? (
                <span class="bad-text">{issues.map(({ message }) => message).join(' ')}</span>
              ) : hint === undefined ? null : (
                <span class="muted">{hint}</span>
              )}
            </span>
          </div>
        )
      })}
      <label>
        Scans
        <select value={values.schedule ?? ''} onChange={(event) => set('schedule', event.currentTarget.value)}>
          {schedulePresets.map(([preset, label]) => (
            <option key={preset} value={preset}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <p class="row">
        <button type="submit" class="button primary" disabled={isSaving}>
          {isStored ? 'Save' : 'Add the source'}
        </button>
        <button type="button" class="button" onClick={onCancel}>
          Cancel
        </button>
        <span class="muted">
          {isStored ? 'Other settings are kept.' : 'No request is sent to the tenant yet.'} Secrets are stored encrypted
          and never shown.
        </span>
      </p>
    </form>
  )
}
