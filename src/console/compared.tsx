import type { ComponentChildren } from 'preact'
import { compare, toPathText } from './flatten.ts'
import { Names } from './parts.tsx'

interface ComparedProps {
  label: string
  before: unknown
  after: unknown
  /** The titles of both columns. */
  titles: readonly [ComponentChildren, ComponentChildren]
}

/** Two values beside each other; what differs is marked, in words as well. */
export function Compared({ label, before, after, titles }: ComparedProps) {
  const members = compare(before, after)
  const changed = members.filter((member) => member.before !== member.after).length
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
    <section class="scroll inset tall" aria-label={label} tabIndex={0}>
      <table class="compared">
        <thead>
          <tr>
            <th scope="col">{changed === 1 ? '1 difference' : `${changed} differences`}</th>
            <th scope="col">{titles[0]}</th>
            <th scope="col">{titles[1]}</th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.path} class={member.before === member.after ? '' : 'changed'}>
              <th scope="row">
                {toPathText(member.path)}
                {member.before === member.after ? null : <span class="hidden"> (differs)</span>}
              </th>
              <td>
                <Value text={member.before} />
              </td>
              <td>
                <Value text={member.after} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const Value = ({ text }: { text: string | undefined }) =>
  text === undefined ? <span class="muted">–</span> : <Names texts={text.split(', ')} />
