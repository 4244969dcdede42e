import { useEffect, useState } from 'preact/hooks'

interface Toast {
  text: string
  isBad?: boolean
  undo?: (() => void) | undefined
}

const SHOWN_MS = 10_000
let show: (toast: Toast | undefined) => void = () => {}
let current: Toast | undefined

/** Says what happened, and offers to undo it for a while. */
export function say(text: string, undo?: () => void): void {
  show({ text, undo })
}

export function complain(text: string): void {
  show({ text, isBad: true })
}

/** Undoes what the toast offers; false when it offers nothing. */
export function undoLast(): boolean {
  const undo = current?.undo
  if (undo === undefined) return false
  show(undefined)
  undo()
  return true
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
    show = (next) => {
      current = next
      setToast(next)
    }
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
