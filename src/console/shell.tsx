import { useEffect, useState } from 'preact/hooks'
import { showInvisible } from '../charts/outside.ts'
import { checkAddress } from './address.ts'
import { client } from './client.ts'
import { Dialog } from './dialog.tsx'
import { areKeysOff, refresh, switchKeys, useAnswer, useKeys } from './hooks.ts'
import { ImportFile } from './import.tsx'
import type { ConsoleSession } from './model.ts'
import { OutageBar } from './outage.tsx'
import { Explore } from './pages/explore.tsx'
import { Findings } from './pages/findings.tsx'
import { Glossary, TermPageView } from './pages/glossary.tsx'
import { MetricPageView } from './pages/metric.tsx'
import { Metrics } from './pages/metrics.tsx'
import { Overview } from './pages/overview.tsx'
import { FindPerson } from './pages/person.tsx'
import { ProposalPage } from './pages/proposal.tsx'
import { Proposals } from './pages/proposals.tsx'
import { Settings } from './pages/settings.tsx'
import { SourcePage } from './pages/source.tsx'
import { Sources } from './pages/sources.tsx'
import { Watches, WatchPageView } from './pages/watches.tsx'
import { Palette } from './palette.tsx'
import { Corrections, canChange, Link, ProblemNote } from './parts.tsx'
import { formatRoute, go, type Route, useRoute } from './route.ts'
import { SignIn } from './sign-in.tsx'
import { Toasts, undoLast } from './toast.tsx'

const pages = [
  ['', 'Overview', 'o'],
  ['explore', 'Explore', 'e'],
  ['findings', 'Findings', 'f'],
  ['person', 'Find a person', 'n'],
  ['sources', 'Sources', 's'],
  ['glossary', 'Glossary', 't'],
  ['metrics', 'Metrics', 'm'],
  ['watches', 'Watches', 'w'],
  ['proposals', 'Proposals', 'p'],
  ['settings', 'Settings', ','],
] as const

const THEME = 'assay.theme'
const preference = matchMedia('(prefers-color-scheme: dark)')
/** The theme chosen here, or else that of the system. */
const applyTheme = () => {
  document.documentElement.dataset.theme = localStorage.getItem(THEME) ?? (preference.matches ? 'dark' : 'light')
}

/** Follows the theme of the system, or the one chosen here. The first access to the storage of a profile is slow. */
export function startTheme(): void {
  applyTheme()
  preference.addEventListener('change', applyTheme)
}

function switchTheme(): void {
  localStorage.setItem(THEME, document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')
  applyTheme()
}

/** The frame of all pages: navigation, search, help, messages, and signing in. */
export function Console() {
  const route = useRoute()
  const [isSearching, setSearching] = useState(false)
  const [isHelping, setHelping] = useState(false)
  const [isGoing, setGoing] = useState(false)
  const [dropped, setDropped] = useState<File>()
  const session = useAnswer('session', client.getSession)
  const waiting = useAnswer('waiting', (signal) => client.listProposals('open', signal))
  useKeys((key) => {
    if (isGoing) {
      setGoing(false)
      const page = pages.find(([, , letter]) => letter === key)
      if (page !== undefined) go(formatRoute({ page: page[0] }))
      return page !== undefined
    }
    if (key === '/') setSearching(true)
    else if (key === '?') setHelping(true)
    else if (key === 'g') setGoing(true)
    else if (key === 'u') undoLast()
    else return false
    return true
  })
  const [dashboard] = route.page === '' ? (route.state.d ?? []) : []
  const title = dashboard ?? pages.find(([page]) => page === route.page)?.[1] ?? 'Assay'
  useEffect(() => {
    document.title = `${title} · Assay`
  }, [title])
  const { value, problem } = session
  const isSignedOut = problem?.status === 401
  const canImport = value !== undefined && canChange(value, 'admin')
  useEffect(() => {
    const take = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      // The browser would open the file instead of the page.
      event.preventDefault()
      const [file] = event.type === 'drop' && canImport ? event.dataTransfer.files : []
      if (file !== undefined) setDropped(file)
    }
    addEventListener('dragover', take)
    addEventListener('drop', take)
    return () => {
      removeEventListener('dragover', take)
      removeEventListener('drop', take)
    }
  }, [canImport])
  const isRefused = value === undefined && problem !== undefined
  return (
    <>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <header class="top">
        <Link to={formatRoute({ page: '' })} class="brand">
          <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
            <path d="M5 1h6v4l-2 2v2h4v3H3V9h4V7L5 5zM3 13h10v2H3z" />
          </svg>
          assay
        </Link>
        <nav aria-label="Pages">
          {pages.map(([page, label]) => (
            <Link key={page} to={formatRoute({ page })} aria-current={route.page === page ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <button type="button" class="search" onClick={() => setSearching(true)}>
          <span>Search or jump to…</span> <kbd>/</kbd>
        </button>
        <button type="button" class="icon" aria-label="Switch between light and dark" onClick={switchTheme}>
          ◐
        </button>
      </header>
      {value?.lockdown === true ? (
        <p class="banner" role="status">
          Lockdown: texts from wiki and BI pages are withheld; counts are complete.
        </p>
      ) : null}
      <OutageBar />
      <Waiting count={waiting.value?.items.length ?? 0} isHere={route.page === 'proposals'} />
      {/* A page asks its questions at once, and appears together with the banners. */}
      <div
        id={isSignedOut ? undefined : 'page'}
        hidden={isSignedOut || ((value === undefined || isUnknown(waiting)) && !isRefused)}
      >
        {isRefused && !isSignedOut ? (
          <main class="page">
            <h1>Assay</h1>
            <ProblemNote problem={problem} />
          </main>
        ) : isSignedOut && value === undefined ? null : (
          // What was typed on the page is kept until a user has signed in again.
          <Page route={route} session={value} />
        )}
      </div>
      {isSignedOut ? (
        <div id="page">
          <SignIn problem={problem} onToken={refresh} />
        </div>
      ) : null}
      {dropped === undefined ? null : <ImportFile file={dropped} onClose={() => setDropped(undefined)} />}
      {isSearching ? <Palette onClose={() => setSearching(false)} /> : null}
      {isHelping ? <Help onClose={() => setHelping(false)} /> : null}
      <Toasts />
    </>
  )
}

const isUnknown = ({ value, problem }: { value: unknown; problem: unknown }) =>
  value === undefined && problem === undefined

/** Says on each page that proposals wait for a decision. */
function Waiting({ count, isHere }: { count: number; isHere: boolean }) {
  if (count === 0 || isHere) return null
  const what = count === 1 ? '1 proposal waits' : `${count} proposals wait`
  return (
    <p class="banner" role="status">
      <Link to={formatRoute({ page: 'proposals' })} class="link">
        {what} for a decision: review
      </Link>
    </p>
  )
}

/** A page that shows the same to every caller does not wait for the session. */
function Page({ route, session }: { route: Route; session: ConsoleSession | undefined }) {
  const { page, name } = route
  const wrong = checkAddress(route)
  if (wrong !== undefined) {
    return (
      <main class="page">
        <h1>The address cannot be read</h1>
        <div class="note bad" role="alert">
          {wrong.messages.map((message) => (
            <p key={message}>
              <bdi>{showInvisible(message)}</bdi>
            </p>
          ))}
          <Corrections corrections={[{ label: 'Open the corrected address', to: wrong.corrected }]} />
          <p>
            <bdi class="muted">{showInvisible(wrong.corrected)}</bdi>
          </p>
        </div>
      </main>
    )
  }
  if (page === '') return <Overview route={route} session={session} />
  if (page === 'explore') return <Explore route={route} />
  if (page === 'glossary') {
    return name === undefined ? (
      <Glossary route={route} session={session} />
    ) : (
      <TermPageView route={route} slug={name} session={session} />
    )
  }
  if (page === 'metrics' && name === undefined) return <Metrics route={route} session={session} />
  if (!pages.some(([known]) => known === page)) {
    return (
      <main class="page">
        <h1>Not here</h1>
        <p class="note">
          There is no page at this address. <Link to={formatRoute({ page: '' })}>Go to the overview</Link>
        </p>
      </main>
    )
  }
  if (session === undefined) return <main class="page" aria-busy="true" />
  if (page === 'findings') return <Findings route={route} session={session} />
  if (page === 'person') return <FindPerson session={session} />
  if (page === 'settings') return <Settings route={route} session={session} />
  if (page === 'metrics') return <MetricPageView route={route} slug={name ?? ''} session={session} />
  if (page === 'sources') {
    return name === undefined ? (
      <Sources route={route} session={session} />
    ) : (
      <SourcePage key={name} route={route} name={name} session={session} />
    )
  }
  if (page === 'proposals') {
    return name === undefined ? <Proposals route={route} /> : <ProposalPage key={name} id={name} session={session} />
  }
  return name === undefined ? (
    <Watches route={route} session={session} />
  ) : (
    <WatchPageView route={route} slug={name} session={session} />
  )
}

const keys = [
  ['/', 'search'],
  ['?', 'this help'],
  ['g o, e, f, n', 'overview, explore, findings, find a person'],
  ['g s, t, m, w, p, ,', 'sources, glossary, metrics, watches, proposals, settings'],
  ['[ ]', 'earlier, later'],
  ['c', 'compare'],
  ['1 – 9', 'metric'],
  ['y', 'copy the address'],
  ['j k', 'next, previous finding'],
  ['x, J K', 'select, extend the selection'],
  ['f i r o', 'false positive, ignore, resolve, re-open'],
  ['u', 'undo'],
  ['e', 'open the page of a finding'],
  ['Esc', 'back'],
] as const

function Help({ onClose }: { onClose: () => void }) {
  const [isOff, setOff] = useState(areKeysOff)
  return (
    <Dialog label="Keys" onClose={onClose}>
      <h2>Keys</h2>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </>
        ))}
      </dl>
      <label class="row">
        <input
          type="checkbox"
          checked={!isOff}
          onChange={() => {
            switchKeys(isOff)
            setOff(!isOff)
          }}
        />{' '}
        Single keys work
      </label>
    </Dialog>
  )
}
