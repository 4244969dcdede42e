import type { Source } from '../../sources/model.ts'
import { client } from '../client.ts'
import { OperationForm } from '../form.tsx'
import { useAnswer } from '../hooks.ts'
import { ProblemNote, Shape } from '../parts.tsx'
import { type FormMembers, listConstants, listVariants } from '../schema.ts'

const labels = {
  config: 'Settings',
  WIKI: 'Confluence',
  'BI_PLATFORM SERVICE_PRINCIPAL': 'Power BI (app)',
  'BI_PLATFORM ACCESS_TOKEN': 'Power BI (token)',
  'config.required': 'Account',
  'config.masked': 'Secrets',
  'config.optional': 'More settings',
  'config.sampling': 'How much is scanned',
  base_url: 'Address',
  account_email: 'Email address of the account',
  api_token: 'API token',
  tenant_id: 'Directory (tenant) id',
  client_id: 'Application (client) id',
  history: 'Earlier versions',
  ids: 'Ids',
}
const REQUIRED = ['name', 'config']
const modes = [
  { value: 'vanished', label: 'Of what vanished' },
  { value: 'all', label: 'All' },
  { value: 'off', label: 'None' },
]
const choices = { history: modes }

/** What the form shows of a stored source; secrets are never read back. */
const toForm = ({ name, config: { masked: _, ...config }, history: mode = 'vanished' }: Source): FormMembers => ({
  name,
  config: { ...config, masked: {} },
  history: mode,
})

interface SourceFormProps {
  onSaved: (source: Source) => void
  onCancel: () => void
}

/** Adds a source. */
export const NewSource = ({ type = 'WIKI', ...props }: SourceFormProps & { type?: string }) => (
  <OperationForm<Source>
    operation="create_source"
    start={{ config: type === 'WIKI' ? { type } : { type, required: { auth_mode: 'SERVICE_PRINCIPAL' } } }}
    labels={labels}
    choices={choices}
    save="Add the source"
    note="No request is sent to the tenant yet. Secrets are stored encrypted and never shown."
    {...props}
  />
)

/** Changes a source: what is omitted is kept, what was emptied is removed. Its type stays. */
export function EditSource({ source, ...props }: SourceFormProps & { source: Source }) {
  const { value: creation, problem } = useAnswer('payload', () => client.getForm('create_source'))
  if (creation === undefined) return problem === undefined ? <Shape height={320} /> : <ProblemNote problem={problem} />
  const ofType = listVariants(creation.schema.properties?.config ?? {}).filter((each) =>
    listConstants(each).some(([, value]) => value === source.type),
  )
  return (
    <OperationForm<Source>
      operation="update_source"
      at={{ id: source.name }}
      start={toForm(source)}
      readAgain={async () => toForm(await client.getSource(source.id))}
      refine={({ properties }) => ({ properties: { ...properties, config: { oneOf: ofType } }, required: REQUIRED })}
      sends="patch"
      labels={labels}
      choices={choices}
      save="Save"
      note="Secrets are stored encrypted and never shown."
      {...props}
    />
  )
}
