import { homedir } from 'node:os'
import { join } from 'node:path'

// Commands that messages print, for the shell of this machine: sh, or on Windows what cmd.exe and PowerShell read alike,
// and words where they have no command in common.

export interface ShellCommands {
  /** A text as one argument. */
  quote(text: string): string
  /** A folder in that of the user. */
  userFolder(name: string): string
  /** Commands of which each runs only after the one before it. */
  inTurn(...commands: string[]): string
  unset(...names: string[]): string
  rename(from: string, to: string): string
  copy(from: string, to: string): string
  remove(...files: string[]): string
  /** Removes the files of a folder whose names end so. */
  removeEnding(folder: string, end: string): string
  removeFolder(folder: string): string
  /** Makes files and folders readable only by their owner. */
  makePrivate(...paths: string[]): string
  makePrivateWhole(folder: string): string
  /** Lets the owner use a file or a folder. */
  makeUsable(path: string): string
  showOwner(path: string): string
  showLargest(folder: string): string
  showUserOfPort(port: number): string
  showProcesses: string
  setClock: string
  nameLocalhost: string
  /** Keeps a server running. */
  keepServing: string
  /** What ends each line but the last one of a command; undefined where a command is always one line. */
  continued: string | undefined
}

/** Always between single quotes. */
export const quoteForSh = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const plainInSh = /^(?:~\/)?[\w.@%+:/,=-]+$/
const quoteIfNeeded = (text: string): string => (plainInSh.test(text) ? text : quoteForSh(text))
const list = (texts: readonly string[], quote: (text: string) => string): string => texts.map(quote).join(' ')

const sh: ShellCommands = {
  quote: quoteIfNeeded,
  userFolder: (name) => `~/${name}`,
  inTurn: (...commands) => commands.join(' && '),
  unset: (...names) => `unset ${names.join(' ')}`,
  rename: (from, to) => `mv ${list([from, to], quoteIfNeeded)}`,
  copy: (from, to) => `install -m 600 ${list([from, to], quoteIfNeeded)}`,
  remove: (...files) => `rm -f ${list(files, quoteIfNeeded)}`,
  removeEnding: (folder, end) => `rm ${quoteIfNeeded(folder)}/*${end}`,
  removeFolder: (folder) => `rm -r ${quoteIfNeeded(folder)}`,
  makePrivate: (...paths) => `chmod go= ${list(paths, quoteIfNeeded)}`,
  makePrivateWhole: (folder) => `chmod -R go= ${quoteIfNeeded(folder)}`,
  makeUsable: (path) => `chmod u+rwX ${quoteIfNeeded(path)}`,
  showOwner: (path) => `ls -ld ${quoteIfNeeded(path)}`,
  showLargest: (folder) => `du -ah ${quoteIfNeeded(folder)} | sort -h | tail -20`,
  showUserOfPort: (port) => `lsof -i :${port}`,
  showProcesses: 'pgrep -af assay',
  setClock: 'sudo timedatectl set-ntp true',
  nameLocalhost: "echo '127.0.0.1 localhost' | sudo tee -a /etc/hosts",
  keepServing: 'assay service install',
  continued: ' \\',
}

const plainOnWindows = /^[\w.+:\\-]+$/
/** Paths contain no double quotes; signs that a shell replaces between quotes, such as `$` and `%`, have no common form. */
const quoteOnWindows = (text: string): string =>
  plainOnWindows.test(text) ? text : `"${text.replaceAll('"', '\\"').replace(/\\+$/, '$&$&')}"`
const inSecurity = (paths: readonly string[], what: string): string =>
  `in the properties of ${paths.map((path) => `"${path}"`).join(' and ')}, under Security, ${what}`

const windows: ShellCommands = {
  quote: quoteOnWindows,
  userFolder: (name) => join(homedir(), name),
  inTurn: (...commands) => commands.join(', then: '),
  unset: (...names) => `remove ${names.join(' and ')} from the environment`,
  rename: (from, to) => `move ${list([from, to], quoteOnWindows)}`,
  copy: (from, to) => `copy ${list([from, to], quoteOnWindows)}`,
  remove: (...files) => windows.inTurn(...files.map((file) => `del ${quoteOnWindows(file)}`)),
  removeEnding: (folder, end) => `del "${folder}\\*${end}"`,
  removeFolder: (folder) => `delete the folder "${folder}"`,
  makePrivate: (...paths) => inSecurity(paths, 'remove all others than you'),
  makePrivateWhole: (folder) => windows.makePrivate(folder),
  makeUsable: (path) => inSecurity([path], 'allow yourself to modify it'),
  showOwner: (path) => `icacls ${quoteOnWindows(path)}`,
  showLargest: () => 'start ms-settings:storagesense',
  showUserOfPort: () => 'netstat -ano',
  showProcesses: 'tasklist /v',
  setClock: 'w32tm /resync',
  nameLocalhost: 'notepad C:\\Windows\\System32\\drivers\\etc\\hosts',
  keepServing: 'assay serve',
  continued: undefined,
}

const mac: ShellCommands = { ...sh, setClock: 'sudo sntp -sS time.apple.com' }

export const shellOf = (platform: NodeJS.Platform): ShellCommands =>
  platform === 'win32' ? windows : platform === 'darwin' ? mac : sh

export const shell: ShellCommands = shellOf(process.platform)
