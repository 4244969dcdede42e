import { join } from 'node:path'
import { fetchPackage } from './npm-package.ts'

/** The supported lines of Node.js. */
export const nodeLines = ['22', '24', '26'] as const

const thisPlatform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

/**
 * The program of the newest version of a line. `platform` is the end of the package's name.
 * @throws Error as `fetchPackage`
 */
export function fetchNode(line: string, platform = thisPlatform): string {
  const home = fetchPackage(`node-${platform}`, line, `${platform}-${line}`)
  return join(home, 'bin', platform.startsWith('win') ? 'node.exe' : 'node')
}
