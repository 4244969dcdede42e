import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

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
  const [element, setElement] = useState<HTMLDialogElement | null>(null)
  useEffect(() => {
    element?.showModal()
  }, [element])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it without a handler
    <dialog
      ref={setElement}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === element && element?.close()}
    >
      <div class="window">{children}</div>
    </dialog>
  )
}
