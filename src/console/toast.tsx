import { useEffect, useState } from 'preact/hooks'

interface Toast {
  text: string
  isBad?: boolean
  undo?: (() => void) | undefined
}

const SHOWN_MS = 10_000
let show: (toast: Toast | undefined) => void = () => {}
/** Undoes the last decision of this page; it stays when its message is gone. */
let lastUndo: (() => void) | undefined

/** Says what happened, and offers to undo it for a while. */
export function say(text: string, undo?: () => void): void {
  if (undo !== undefined) lastUndo = undo
  show({ text, undo })
}

/** Of a page that is left. */
export function forgetUndo(): void {
  lastUndo = undefined
}

export function complain(text: string): void {
  show({ text, isBad: true })
}

/** Undoes the last decision of this page, or says that there is none. */
export function undoLast(): void {
  const undo = lastUndo
  lastUndo = undefined
  show(undo === undefined ? { text: 'There is no decision on this page to undo.' } : undefined)
  undo?.()
}

export function copy(text: string, what: string): void {
  navigator.clipboard.writeText(text).then(
    () => say(`${what} copied`),
    () => complain('The browser did not allow copying.'),
  )
}

export function Toasts() {
  const [toast, setToast] = useState<Toast>()
  useEffect(() => {
    show = setToast
  }, [])
  useEffect(() => {
    if (toast === undefined) return undefined
    const timer = setTimeout(() => show(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [toast])
  return (
    <div class="toasts" role="status">
      {toast === undefined ? null : (
        <div class={`toast ${toast.isBad ? 'bad' : ''}`}>
          <span>{toast.text}</span>
          {toast.undo === undefined ? null : (
            <button type="button" onClick={undoLast}>
              Undo <kbd>u</kbd>
            </button>
          )}
        </div>
      )}
    </div>
  )
}
