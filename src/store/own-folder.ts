import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'
import { quoteForSh } from '../runtime/shell.ts'

const ownName = /^(?:assay\.(?:db|key|lock)(?:[.-].*)?|config\.json|served\.json|ballast|engine|logs|undo|backups)$/i
const ownFolder = /^(?:engine|logs|undo)$/i
/** May be links that the user made: the one is only read, and in the other only new files are written. */
const linkable = /^(?:config\.json|backups)$/i

interface Person {
  user: number
  groups: readonly number[]
}

/** The user and groups of this process; undefined on Windows, which has no modes. */
function findPerson(): Person | undefined {
  const [user, group] = [process.geteuid?.(), process.getegid?.()]
  if (user === undefined || group === undefined) return undefined
  return { user, groups: [group, ...(process.getgroups?.() ?? [])] }
}

/**
 * What others could have put into a data folder is not used: a folder or file of it that others may write to, that
 * belongs to another user, or that is a link. Once only its owner can write to the folder, no one can add a link.
 * @throws AppError `unavailable`, reason `folder_shared`, with the command that fixes it
 */
export function requireOwnFolder(home: string, person: Person | undefined = findPerson()): void {
  const folder = person === undefined ? undefined : statSync(home, { throwIfNoEntry: false })
  if (person === undefined || folder?.isDirectory() !== true) return
  const named = 'The data folder'
  // Whoever owns a link in place of the folder chooses the folder.
  if (!isOwn(folder, person) || !isOwn(lstatSync(home), person)) {
    throw shared(`${named} belongs to another user; run Assay as that user, or name a folder of your own with --home.`)
  }
  const groups = [...listPrivateGroups(person), ...listGrantedGroups(folder, person)]
  if (isWritable(folder, groups)) throw shared(describeWritable(named, home, folder, person))
  for (const name of listOwnNames(home)) requireOwnEntry(home, name, { person, groups })
}

/** Names of what Assay keeps in a data folder, those in its folders included. */
function listOwnNames(home: string): string[] {
  const names = readdirSync(home).filter((name) => ownName.test(name))
  return names.flatMap((name) => {
    const isFolder = ownFolder.test(name) && lstatSync(join(home, name), { throwIfNoEntry: false })?.isDirectory()
    return [name, ...(isFolder === true ? readdirSync(join(home, name)).map((inner) => join(name, inner)) : [])]
  })
}

function requireOwnEntry(
  home: string,
  name: string,
  { person, groups }: { person: Person; groups: readonly number[] },
): void {
  const path = join(home, name)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const named = `${name} in the data folder`
  if (!isOwn(found, person)) {
    throw shared(
      `${named} belongs to another user (${found.uid}), who may have planted it: run \`rm -r ${quoteForSh(path)}\`.`,
    )
  }
  if (!found.isSymbolicLink()) {
    if (isWritable(found, groups)) throw shared(describeWritable(named, path, found, person))
  } else if (!linkable.test(name)) {
    throw shared(
      `${named} is a link, which is not followed: run \`rm ${quoteForSh(path)}\`, and put the file itself there.`,
    )
  }
}

const shared = (message: string) => new AppError('unavailable', message, { reason: 'folder_shared' })

const isOwn = ({ uid }: Stats, { user }: Person): boolean => uid === user || uid === 0

/** The group that only this user is in: by convention it has the number of the user. */
const listPrivateGroups = ({ user, groups }: Person): number[] => groups.filter((group) => group === user)

/** The group that a folder was prepared for, as Kubernetes does for `fsGroup`, if this process is in it. */
const listGrantedGroups = ({ uid, gid, mode }: Stats, { groups }: Person): number[] =>
  (uid === 0 || (mode & 0o2000) !== 0) && groups.includes(gid) ? [gid] : []

const isWritable = ({ mode, gid }: Stats, groups: readonly number[]): boolean =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && !groups.includes(gid))

function describeWritable(named: string, path: string, { uid }: Stats, { user }: Person): string {
  const fix = uid === user || user === 0 ? `run \`chmod go-w ${quoteForSh(path)}\`` : 'its owner must take that away'
  return `${named} can be changed by other users: ${fix}, or name a folder of your own with --home.`
}
