import { useState } from 'preact/hooks'
import { Name } from '../charts/parts.tsx'
import { toNumber, toWords } from '../charts/words.ts'
import { client, type ServerProblem, toProblem } from './client.ts'
import { Dialog } from './dialog.tsx'
import { refresh, useAnswer } from './hooks.ts'
import type { Imported } from './model.ts'
import { ProblemNote } from './parts.tsx'
import { say } from './toast.tsx'

/** Asks for a file to import; one that is dropped anywhere on a page is taken as well. */
export function ImportButton() {
  const [file, setFile] = useState<File>()
  return (
    <>
      <label class="button pick">
        Import a file
        <input
          type="file"
          class="hidden"
          onChange={({ currentTarget }) => {
            setFile(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
      </label>
      {file === undefined ? null : <ImportFile file={file} onClose={() => setFile(undefined)} />}
    </>
  )
}

/** Shows what a file would change, and imports it. */
export function ImportFile({ file, onClose }: { file: File; onClose: () => void }) {
  const [source, setSource] = useState('import')
  const [scope, setScope] = useState('')
  const [complete, setComplete] = useState(false)
  const [shown, setShown] = useState<Imported>()
  const [problem, setProblem] = useState<ServerProblem>()
  const [isWaiting, setWaiting] = useState(false)
  const { value: known } = useAnswer('sources', (signal) => client.listSources(signal))
  const send = async (dryRun: boolean) => {
    setWaiting(true)
    setProblem(undefined)
    try {
      const request = { source, complete, dryRun, ...(scope === '' ? {} : { scope }) }
      const answer = await client.importFindings(file, request)
      if (dryRun) setShown(answer)
      else {
        say(`${toNumber(answer.lines)} findings imported into ${answer.source.name}`)
        refresh()
        onClose()
      }
    } catch (error) {
      setProblem(toProblem(error))
    }
    setWaiting(false)
  }
  /** What was shown holds only for what was asked. */
  const change = (set: () => void) => {
    set()
    setShown(undefined)
  }
  return (
    <Dialog label={`Import ${file.name}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          send(shown === undefined)
        }}
      >
        <h2>
          Import <Name text={file.name} codes={false} />
        </h2>
        <label>
          Source
          <input
            required
            maxLength={100}
            list="import-sources"
            value={source}
            onInput={({ currentTarget: { value } }) => change(() => setSource(value))}
          />
        </label>
        <datalist id="import-sources">
          {known?.items
            .filter(({ type }) => type === 'IMPORT')
            .map(({ name }) => (
              <option key={name} value={name} />
            ))}
        </datalist>
        <label>
          <input
            type="checkbox"
            checked={complete}
            onChange={({ currentTarget: { checked } }) => change(() => setComplete(checked))}
          />
          Complete: resolve what is no longer in it
        </label>
        {complete ? (
          <label>
            Scope, if the file does not say
            <input
              maxLength={200}
              value={scope}
              onInput={({ currentTarget: { value } }) => change(() => setScope(value.trim()))}
            />
          </label>
        ) : null}
        {shown === undefined ? null : (
          <div role="status">
            <p>
              <b>{toNumber(shown.findings.new)}</b> new, <b>{toNumber(shown.findings.again)}</b> again,{' '}
              <b>{toNumber(shown.findings.resolved)}</b> resolved
            </p>
            <ul>
              {shown.preview?.map((each, index) => (
                <li key={String(index)}>
                  {toWords(each.severity)} <Name text={each.findingType} /> in <Name text={each.asset} codes={false} />
                </li>
              ))}
            </ul>
          </div>
        )}
        {problem === undefined ? null : <ProblemNote problem={problem} />}
        <p class="row">
          <button type="submit" class="button primary" disabled={isWaiting}>
            {shown === undefined ? 'Preview' : 'Import'}
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  )
}
