import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { chmodSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { version } from '../runtime/package-files.ts'
import type { Vault } from '../store/keys/vault.ts'
import { describeFolderLocation } from '../store/place.ts'

/** The shortest limit of the supported systems is 104 bytes (sun_path); a draft of the socket has a longer name. */
const MAX_PATH_BYTES = 100
const DRAFT_BYTES = 9

/** Header names of a question and its answer. */
export const NONCE_HEADER = 'x-assay-nonce'
export const PROOF_HEADER = 'x-assay-proof'
export const VERSION_HEADER = 'x-assay-version'

/** Why processes of a data folder cannot share an engine, or why one cannot ask another. */
export type SharingProblem =
  | 'path_too_long'
  | 'network_folder'
  | 'no_key'
  | 'other_version'
  | 'other_key'
  | 'no_connection'
  | 'too_slow'

const folderOf = (home: string) => join(home, 'engine')

/** `lock` is held by the process whose engine answers for all, `next` by the one that will take the engine over. */
export function prepareLockFile(home: string, name: 'lock' | 'next' = 'lock'): string {
  const folder = folderOf(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  return join(folder, name)
}

/** The address at which that process answers. */
export function findEngineSocket(home: string): { socket: string } | { problem: SharingProblem } {
  if (process.platform === 'win32') {
    const name = hash('sha256', resolve(home).toLowerCase()).slice(0, 32)
    return { socket: `\\\\.\\pipe\\assay-${name}` }
  }
  const socket = join(folderOf(resolve(home)), 'socket')
  if (Buffer.byteLength(socket) + DRAFT_BYTES > MAX_PATH_BYTES) return { problem: 'path_too_long' }
  if (describeFolderLocation(home).network !== undefined) return { problem: 'network_folder' }
  return { socket }
}

/**
 * Computes proofs that a question or an answer comes from a process that has the key of the data folder and is of this
 * version; undefined without the key.
 */
export function createProver(vault: Vault & { problem(): unknown }): Prover | undefined {
  if (vault.problem() !== undefined) return undefined
  const key = createHmac('sha256', vault.fingerprintKey()).update(`engine socket of ${version}`).digest()
  const prove: Prover['prove'] = (kind, nonce, body) =>
    createHmac('sha256', key).update(`${kind}\n${nonce}\n`).update(body).digest('hex')
  return {
    prove,
    isProven: (kind, nonce, body, proof) => {
      const [wanted, given] = [Buffer.from(prove(kind, nonce, body)), Buffer.from(proof)]
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
  }
}

type ProofKind = 'question' | `answer ${number}`

export interface Prover {
  prove(kind: ProofKind, nonce: string, body: Uint8Array): string
  isProven(kind: ProofKind, nonce: string, body: Uint8Array, proof: string): boolean
}
