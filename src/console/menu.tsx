import { useEffect, useRef, useState } from 'preact/hooks'

export interface MenuItem {
  label: string
  run: () => void
}

/** A button that opens a short list of actions. */
export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus()
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !box.current?.contains(event.target as Node)) {
        setOpen(false)
        if (event instanceof KeyboardEvent) box.current?.querySelector('button')?.focus()
      }
    }
    addEventListener('pointerdown', close)
    addEventListener('keydown', close)
    return () => {
      removeEventListener('pointerdown', close)
      removeEventListener('keydown', close)
    }
  }, [isOpen])
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    const entries = [...(box.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])]
    const index = entries.indexOf(document.activeElement as HTMLElement)
    entries[(index + step + entries.length) % entries.length]?.focus()
    event.preventDefault()
  }
  return (
    <div class="menu" ref={box}>
      <button type="button" class="button" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {isOpen ? (
        <div role="menu" aria-label={label} tabIndex={-1} onKeyDown={move}>
          {items.map(({ label: text, run }) => (
            <button
              type="button"
              role="menuitem"
              key={text}
              onClick={() => {
                setOpen(false)
                run()
              }}
            >
              {text}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  )
}
