import { userInfo } from 'node:os'

/** The name of the user of this machine. */
export function localName(): string {
  try {
    return userInfo().username
  } catch {
    return 'local'
  }
}
