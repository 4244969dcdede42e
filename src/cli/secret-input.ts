import type { Command } from 'commander'
import { AppError } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-object.ts'
import { quote } from '../kernel/shown.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import { UsageError } from './exit.ts'
import type { Host } from './host.ts'
import { readText } from './session.ts'

export interface SecretFlags {
  secretStdin?: boolean
  secretEnv?: string
  secretFile?: string
}

const MAX_SECRET_BYTES = 64 * 1024

export const SECRET_OPTIONS = '--secret-stdin, --secret-env or --secret-file'

/** Adds the ways to give a secret; none of them puts it on the command line. */
export function addSecretOptions(command: Command, of: string): Command {
  return command
    .option('--secret-stdin', `read ${of} from standard input`)
    .option('--secret-env <name>', `read ${of} from this environment variable`)
    .option('--secret-file <path>', `read ${of} from this file`)
}

/** The secret that the options name; undefined where none of them is given. @throws UsageError, AppError */
export async function readSecret(host: Host, flags: SecretFlags): Promise<string | undefined> {
  const { secretStdin, secretEnv, secretFile } = flags
  const given = [secretStdin, secretEnv, secretFile].filter((value) => value !== undefined)
  if (given.length > 1) throw new UsageError(`Give one of ${SECRET_OPTIONS}.`)
  if (secretEnv !== undefined) return readVariable(host, secretEnv, '--secret-env')
  if (secretFile !== undefined) return readSecretFile(secretFile, '--secret-file')
  if (secretStdin !== true) return undefined
  if (host.stdin.isTTY === true)
    throw new UsageError('--secret-stdin reads a pipe or a file, not the terminal; leave it out to be asked.')
  const text = await readText(host.stdin as AsyncIterable<Uint8Array>, MAX_SECRET_BYTES)
  return requireText(text, 'Standard input is empty, so there is no secret for --secret-stdin.')
}

/** Anything else may be the secret itself, so it is not repeated. */
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

function readVariable(host: Host, name: string, from: string): string {
  if (!VARIABLE_NAME.test(name))
    throw new UsageError(`${from} takes the name of an environment variable, of up to 100 letters, digits and _.`)
  const message = `The environment variable ${quote(name)} of ${from} is not set or is empty; set it, or name another.`
  return requireText(host.locate({}).env[name] ?? '', message)
}

/** The secret in the file that an option or a member names. @throws AppError */
export function readSecretFile(path: string, from: string): string {
  let text: string
  try {
    text = readRegularFile(path, { maxBytes: MAX_SECRET_BYTES }).toString('utf8')
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const message = `The file ${quote(path)} of ${from} cannot be read; check its name and permissions.`
    throw new AppError('not_found', message, { cause })
  }
  return requireText(text, `The file ${quote(path)} of ${from} is empty; write the secret into it.`)
}

function requireText(text: string, message: string): string {
  const secret = text.trim()
  if (secret === '') throw new AppError('invalid_input', message)
  return secret
}

type Visit = (value: unknown, path: string) => unknown

/** Replaces each secret of a payload for an operation: the members of `config.masked`, and addresses and keys in `deliver`. */
function mapSecrets(payload: Record<string, unknown>, visit: Visit): Record<string, unknown> {
  const { config, deliver } = payload
  const mapped = { ...payload }
  if (isObject(config) && isObject(config.masked)) {
    const masked = Object.entries(config.masked).map(([name, value]) => [name, visit(value, `config.masked.${name}`)])
    mapped.config = { ...config, masked: Object.fromEntries(masked) }
  }
  if (Array.isArray(deliver)) {
    mapped.deliver = deliver.map((receiver: unknown, index) => {
      if (!isObject(receiver)) return receiver
      const secrets = ['url', 'secret'].filter((name) => receiver[name] !== undefined)
      const visited = secrets.map((name) => [name, visit(receiver[name], `the ${name} of deliver[${index}]`)])
      return { ...receiver, ...Object.fromEntries(visited) }
    })
  }
  return mapped
}

/** Reads the secrets that a payload names as `{"env": NAME}` or `{"file": PATH}`, in this process. */
export function resolveSecrets(host: Host, payload: Record<string, unknown>): Record<string, unknown> {
  return mapSecrets(payload, (value, path) => {
    if (!isObject(value)) return value
    const [[kind, name] = [], ...more] = Object.entries(value)
    if (more.length > 0 || typeof name !== 'string' || (kind !== 'env' && kind !== 'file')) {
      throw new AppError('invalid_input', `${path} must be {"env": "NAME"}, {"file": "PATH"} or the secret itself.`)
    }
    return kind === 'env' ? readVariable(host, name, path) : readSecretFile(name, path)
  })
}

/** A masked secret, or the address of a webhook as it is shown. */
const MASK_LIKE = /^(?:https:\/\/[^/]+\/)?[*•●∙·]*$/u

/** The paths of secrets that a payload contains as they are. */
export function listPlainSecrets(payload: Record<string, unknown>): string[] {
  const found: string[] = []
  mapSecrets(payload, (value, path) => {
    if (typeof value === 'string' && !MASK_LIKE.test(value)) found.push(path)
    return value
  })
  return found
}
