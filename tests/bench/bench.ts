import { existsSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'

const folder = new URL('./', import.meta.url)
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== basename(import.meta.url))
  .map((file) => basename(file, '.ts'))

const [name = ''] = process.argv.splice(2, 1)
if (!names.includes(name) || !existsSync(new URL(`${name}.ts`, folder))) {
  process.stderr.write(`Name a benchmark: npm run bench -- ${names.join(' | ')}\n`)
  process.exitCode = 2
} else {
  await import(new URL(`${name}.ts`, folder).href)
}
