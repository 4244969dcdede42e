import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type ServerProblem, toProblem } from './client.ts'
import { ProblemNote } from './parts.tsx'

/** A window over the page that Escape closes and the focus does not leave. */
export function Dialog({
  label,
  onClose,
  children,
}: {
  label: string
  onClose: () => void
  children: ComponentChildren
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  // Opened before the next key arrives, which would be a shortcut of the page otherwise.
  useLayoutEffect(() => dialog.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it without a handler
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="window">{children}</div>
    </dialog>
  )
}

/** A button that does something only after its consequences were confirmed. */
export function ConfirmedButton({
  label,
  what,
  about,
  act,
  done,
}: {
  label: string
  /** What the button is about, where a page has several of them. */
  what?: string
  /** What will happen. */
  about: ComponentChildren
  act: () => Promise<unknown>
  done: () => void
}) {
  const [isOpen, setOpen] = useState(false)
  const [problem, setProblem] = useState<ServerProblem>()
  const [isWaiting, setWaiting] = useState(false)
  const run = async () => {
    setWaiting(true)
    try {
      await act()
      setOpen(false)
      done()
    } catch (error) {
      setProblem(toProblem(error))
    }
    setWaiting(false)
  }
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          setProblem(undefined)
          setOpen(true)
        }}
      >
        {label}
        {what === undefined ? null : <span class="hidden"> {what}</span>}
      </button>
      {isOpen ? (
        <Dialog label={label} onClose={() => setOpen(false)}>
          <div class="form">
            <h2>
              {label}
              {what === undefined ? '' : ` ${what}`}?
            </h2>
            <div>{about}</div>
            {problem === undefined ? null : <ProblemNote problem={problem} />}
            <p class="row">
              <button type="button" class="button primary" disabled={isWaiting} onClick={run}>
                {label}
              </button>
              <button type="button" class="button" onClick={() => setOpen(false)}>
                Cancel
              </button>
            </p>
          </div>
        </Dialog>
      ) : null}
    </>
  )
}
