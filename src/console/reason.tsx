import { useEffect, useRef, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'
import { listReasons } from './triage.ts'

interface ReasonFormProps {
  label: string
  onReason: (reason: string) => void
  onCancel: () => void
}

/** One line of reason for a decision, with the last ones to pick from. */
export function ReasonForm({ label, onReason, onCancel }: ReasonFormProps) {
  const [reason, setReason] = useState('')
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return (
    <Dialog label={`${label}: reason`} onClose={onCancel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (reason.trim() !== '') onReason(reason.trim())
        }}
      >
        <label>
          {label}: why?
          <input ref={field} maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
        <p class="row">
          {listReasons().map((each) => (
            <button type="button" class="button small" key={each} dir="auto" onClick={() => onReason(each)}>
              {each}
            </button>
          ))}
        </p>
        <p class="row">
          <button type="submit" class="button primary" disabled={reason.trim() === ''}>
            {label}
          </button>
          <button type="button" class="button" onClick={onCancel}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}
