import { isObject } from '../kernel/json-object.ts'

type Schema = Record<string, unknown>

interface FormField {
  name: string
  description: string
  isRequired: boolean
}

/** One way to set up a source: what a type, or one of the ways to sign in to it, needs. */
export interface SourceForm {
  type: string
  /** Members of `required` that the way to sign in decides, such as `auth_mode`. */
  fixed: Readonly<Record<string, string>>
  /** The other members of `required`. */
  fields: readonly FormField[]
  secret: FormField
}

/** The ways to set up a source, by the JSON Schema of its payload. */
export function listSourceForms(schema: unknown): SourceForm[] {
  return listObjects(schema).flatMap(({ properties }) => {
    const members = isObject(properties) ? properties : {}
    const required = listMembers(members.required)
    const [secret] = listMembers(members.masked).filter(({ isRequired }) => isRequired)
    const type = toConstant(members.type)
    if (type === undefined || secret === undefined) return []
    const fixed = required.flatMap(({ name, schema }) => {
      const value = toConstant(schema)
      return value === undefined ? [] : [[name, value]]
    })
    const fields = required.filter(({ schema }) => toConstant(schema) === undefined)
    return [{ type, fixed: Object.fromEntries(fixed), fields, secret }]
  })
}

/** The object alternatives of a schema. */
function listObjects(schema: unknown): Schema[] {
  if (!isObject(schema)) return []
  const branches = [schema.oneOf, schema.anyOf].flatMap((branch) => (Array.isArray(branch) ? branch : []))
  return isObject(schema.properties) ? [schema] : branches.flatMap(listObjects)
}

function listMembers(schema: unknown): (FormField & { schema: unknown })[] {
  if (!isObject(schema) || !isObject(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([name, member]) => ({
    name,
    description: isObject(member) ? String(member.description ?? name) : name,
    isRequired: required.includes(name),
    schema: member,
  }))
}

const toConstant = (schema: unknown): string | undefined =>
  isObject(schema) && typeof schema.const === 'string' ? schema.const : undefined

/** The forms that the given members of `required` fit, and the type where one is named by its beginning. */
export function selectForms(
  forms: readonly SourceForm[],
  type: string | undefined,
  required: Readonly<Record<string, string>>,
): SourceForm[] {
  const isNamed = (form: SourceForm) =>
    type === undefined || form.type.toLowerCase().startsWith(type.toLowerCase().replaceAll('-', '_'))
  const fits = ({ fixed, fields }: SourceForm) =>
    Object.entries(required).every(([name, value]) =>
      name in fixed ? fixed[name] === value : fields.some((field) => field.name === name && field.isRequired),
    )
  return forms.filter((form) => isNamed(form) && fits(form))
}
