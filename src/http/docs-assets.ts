/** Search, and links that open what they lead to. */
const docsScript = `const search = document.getElementById('search')
const found = document.getElementById('found')
const entries = [...document.querySelectorAll('details')]
const open = () => {
  const entry = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (entry instanceof HTMLDetailsElement) {
    search.value = ''
    filter()
    entry.open = true
    entry.scrollIntoView()
    entry.querySelector('summary').focus()
  }
}
const filter = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const entry of entries) entry.hidden = !words.every((word) => entry.dataset.words.includes(word))
  for (const section of document.querySelectorAll('main > section'))
    section.hidden = [...section.querySelectorAll('details')].every((entry) => entry.hidden)
  const shown = entries.filter((entry) => !entry.hidden && !entry.id.startsWith('schema-')).length
  found.textContent = words.length === 0 ? '' : shown === 1 ? '1 operation' : shown + ' operations'
}
search.form.addEventListener('submit', (event) => {
  event.preventDefault()
  entries.find((entry) => !entry.hidden)?.querySelector('summary').focus()
})
search.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === search || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  search.focus()
})
window.addEventListener('hashchange', open)
open()
`

const docsStyle = `:root { color-scheme: light dark; --line: light-dark(#d5d8e0, #3a3f4b); --quiet: light-dark(#555b69, #a9b0bf); --code: light-dark(#f3f4f8, #20242d); --link: light-dark(#2a44b8, #9db1ff) }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; background: light-dark(#fff, #14171d); color: light-dark(#1b1e25, #e6e8ee) }
a { color: var(--link) }
form { position: sticky; top: 0; padding: .5rem 0; background: light-dark(#fff, #14171d) }
input { font: inherit; padding: .3rem .5rem; width: min(28rem, 100%); box-sizing: border-box; border: 1px solid var(--quiet); border-radius: .3rem }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; padding: 0 }
summary { cursor: pointer; padding: .35rem .25rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
summary:focus-visible, a:focus-visible, input:focus-visible { outline: 3px solid var(--link); outline-offset: 1px }
details[open] { padding-bottom: 1rem }
.method { display: inline-block; min-width: 4.2rem; font-weight: 700; font-size: .85em }
.title { color: var(--quiet) }
table { border-collapse: collapse; width: 100%; table-layout: fixed; overflow-wrap: anywhere }
th, td { text-align: left; vertical-align: top; padding: .3rem .5rem; border-bottom: 1px solid var(--line); font-weight: 400 }
thead th { font-weight: 700 }
code { font-size: .9em }
pre { background: var(--code); padding: .6rem .8rem; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: .3rem }
h3 { font-size: 1rem; margin: 1rem 0 .3rem }
[hidden] { display: none }
`

/** What the page about the REST API loads, by name. */
export const docsFiles: Readonly<Record<string, string>> = { 'docs.js': docsScript, 'docs.css': docsStyle }
