import { useMemo, useState } from 'preact/hooks'
import { client } from './client.ts'
import { Dialog } from './dialog.tsx'
import { useAnswer } from './hooks.ts'
import { formatRoute, go } from './route.ts'

const MAX_FOUND = 8

interface Target {
  kind: string
  label: string
  words: string
  to: string
}

/** Finds metrics, terms and sources by name, and findings by their words. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { value: targets = [] } = useAnswer('palette', async (signal): Promise<Target[]> => {
    const [metrics, terms, sources] = await Promise.all([
      client.listMetrics(signal),
      client.listTerms(signal),
      client.listSources(signal),
    ])
    return [
      ...metrics.items.map(({ slug, displayName, synonyms }) => ({
        kind: 'metric',
        label: displayName,
        words: [slug, displayName, ...synonyms].join(' '),
        to: formatRoute({ page: 'explore', state: { metric: [slug] } }),
      })),
      ...terms.items.map(({ slug, displayName, synonyms }) => ({
        kind: 'term',
        label: displayName,
        words: [slug, displayName, ...synonyms].join(' '),
        to: formatRoute({ page: 'explore', state: { term: [slug] } }),
      })),
      ...sources.items.map(({ name }) => ({
        kind: 'source',
        label: name,
        words: name,
        to: formatRoute({ page: 'sources', name }),
      })),
    ]
  })
  const found = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean)
    const matching = targets.filter((target) => words.every((word) => target.words.toLowerCase().includes(word)))
    const search: Target[] =
      words.length === 0
        ? []
        : [
            {
              kind: 'findings',
              label: `with “${text.trim()}”`,
              words: '',
              to: formatRoute({ page: 'findings', state: { q: [text.trim()] } }),
            },
          ]
    return [...matching.slice(0, MAX_FOUND), ...search]
  }, [text, targets])
  const pick = (target: Target | undefined) => {
    if (target === undefined) return
    onClose()
    go(target.to)
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1))
    else if (event.key === 'Enter') pick(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog label="Search" onClose={onClose}>
      <input
        class="palette"
        role="combobox"
        aria-label="Search metrics, terms, sources and findings"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant={found.length > 0 ? `found-${at}` : undefined}
        placeholder="Metrics, terms, sources, findings…"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={press}
      />
      <div id="found" role="listbox" aria-label="Found" class="found">
        {found.map((target, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the field
          <div
            key={`${target.kind} ${target.to}`}
            id={`found-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onClick={() => pick(target)}
          >
            <span class="muted">{target.kind}</span> <bdi>{target.label}</bdi>
          </div>
        ))}
      </div>
    </Dialog>
  )
}
