import { useRef, useState } from 'preact/hooks'

/** The width of an element, which follows its size. */
export function useWidth(): [(element: HTMLElement | null) => void, number] {
  const [width, setWidth] = useState(0)
  const observer = useRef<ResizeObserver | undefined>(undefined)
  const attach = useRef((element: HTMLElement | null) => {
    observer.current?.disconnect()
    if (element === null) return
    setWidth(element.clientWidth)
    observer.current = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.current.observe(element)
  })
  return [attach.current, width]
}
