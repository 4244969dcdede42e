import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { packageFile } from '../../runtime/package-files.ts'
import { people, secrets } from './values.ts'

const values = new Map(
  Object.entries({ ...secrets, ...people }).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' ? [[name, value]] : value.map((each, index) => [`${name}.${index}`, each]),
  ),
)

function fillText(text: string): string {
  return text.replaceAll(/\{\{([\w.]+)\}\}/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`The sample company has no value "${name}".`)
    return value
  })
}

function fill(data: unknown): unknown {
  if (typeof data === 'string') return fillText(data)
  if (Array.isArray(data)) return data.map(fill)
  if (typeof data !== 'object' || data === null) return data
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, fill(value)]))
}

const readText = (path: string) => readFileSync(packageFile(`sample-company/${path}`), 'utf8')

/** Parses a YAML file of the sample company, with a planted value in place of each `{{name}}`. */
export const readYaml = (name: string): unknown => fill(parse(readText(`${name}.yaml`)))

/** The body of a page in storage format; line breaks between tags only format the file and are removed. */
export const readBody = (slug: string): string =>
  fillText(readText(`pages/${slug}.html`).trimEnd().replaceAll('>\n<', '><'))
