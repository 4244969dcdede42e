import { toChosen } from './chosen.ts'
import { givenConfidence, isCommandStart } from './forms.ts'
import type { Found, SearchProgress } from './found.ts'
import { passwordConfidence, tokenConfidence } from './guards.ts'

const curlUser = /(?:^|\s)(?:-u|--user|-U|--proxy-user)[ =]?(["']?)([^\s"':]{1,80}:[^\s"']{0,128})\1(?=[\s"']|$)/g
const commandLine = /^(?:[^\n\\]|\\\r?\n|\\){0,600}/

export function* findCurlUser(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const line = commandLine.exec(text.slice(at, at + 1200))?.[0] ?? ''
  progress.readFrom = at + line.length
  for (const found of line.matchAll(curlUser)) {
    const [whole, quote = '', pair = ''] = found
    const split = pair.indexOf(':')
    const [user, password] = [pair.slice(0, split), pair.slice(split + 1)]
    const secret = password === '' ? user : password
    const sure =
      password === ''
        ? tokenConfidence(secret, true) || passwordConfidence(secret, true, false)
        : passwordConfidence(secret, true, false)
    if (sure === 0) continue
    const start = at + found.index + whole.indexOf(pair)
    const lead = quote === '' ? 0 : 1
    yield {
      type: 'BASIC_AUTH',
      start: start - lead,
      end: start + pair.length + lead,
      severity: 'HIGH',
      confidence: 0.91,
      value: secret,
    }
  }
}

/**
 * Commands and their options for a password; `attached` options are followed by it without a space. The sources are
 * the manuals of the commands.
 */
const commands: readonly (readonly [names: string, options: string, attached?: string])[] = [
  ['mysql mysqldump mysqladmin mysqlimport mariadb mysqlsh', '--password', '-p'],
  ['sshpass', '-p', '-p'],
  [
    'docker login;podman login;helm registry login;buildah login;skopeo login;nerdctl login;crane auth login',
    '-p --password',
  ],
  ['oc login;cf login;az login;tabcmd login;tsm login;vault login;argocd login', '-p --password'],
  [
    'twine upload;evil-winrm;cqlsh;mongo;mongosh;mongodump;mongorestore;crackmapexec;netexec;nxc;rdesktop;ncftpput;ncftpget',
    '-p --password',
  ],
  ['psexec psexec64 paexec', '-p'],
  ['redis-cli', '-a --pass'],
  ['ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami', '-w'],
  ['mosquitto_pub mosquitto_sub ipmitool sqlcmd bcp isql osql', '-P', '-P'],
  ['unzip;zip ', '-P'],
  ['7z 7za 7zz', '', '-p'],
  ['rar ;unrar ', '', '-hp -p'],
  ['gpg gpg2', '--passphrase'],
  ['keytool jarsigner', '-storepass -keypass -srcstorepass -deststorepass'],
  ['wget lftp', '--password --http-password --ftp-password --proxy-password'],
  ['svn', '--password'],
  ['plink plink.exe pscp pscp.exe psftp winscp.com', '-pw'],
  ['snmpwalk snmpget snmpset snmpbulkwalk', '-c -A -X'],
  ['clickhouse-client influx nats psql pgcli etcdctl openconnect', '--password --passwd'],
  ['xfreerdp wfreerdp cmdkey wmic', '', '/p: /pass: /password:'],
  ['schtasks', '/rp'],
  ['ansible-vault;ansible-playbook', '--vault-password'],
]

const escapeSign = (option: string) => option.replace(/[./]/g, '\\$&')
const alternatives = (list: string) =>
  list
    .split(' ')
    .filter(Boolean)
    .map((option) => escapeSign(option))
    .join('|')
const value = `(?:"([^"\\s$]{4,128})"|'([^'\\s]{4,128})'|([^\\s"'\`$%&|;<>-][^\\s"'\`|;<>]{3,128}))(?=[\\s"'\`;|)]|$)`

/** Each command with the pattern of its options, applied to the rest of the line. */
const optionPatterns: readonly (readonly [name: string, pattern: RegExp])[] = commands.flatMap(
  ([names, options, attached = '']) => {
    const forms = [
      ...(options === '' ? [] : [`(?:${alternatives(options)})(?:[ \\t]{1,4}|=)`]),
      ...(attached === '' ? [] : [`(?:${alternatives(attached)})`]),
    ]
    const pattern = new RegExp(`(?:^|[ \\t])(?:${forms.join('|')})${value}`, 'g')
    return names.split(names.includes(';') ? ';' : ' ').map((name) => [name, pattern] as const)
  },
)

export const commandPatterns: readonly RegExp[] = [...new Set(optionPatterns.map(([, pattern]) => pattern))]

/** First words of commands; the rest of the line is searched for a password. */
export const commandNames: readonly string[] = [...new Set(optionPatterns.map(([name]) => name))]

/** Commands such as `mysql -psecret`, `sshpass -p secret` or `docker login -p secret`. */
export function* findCommandPassword(text: string, at: number, progress: SearchProgress): Generator<Found> {
  if (!isCommandStart(text, at)) return
  const line = commandLine.exec(text.slice(at, at + 600))?.[0] ?? ''
  const lower = line.slice(0, 40).toLowerCase()
  for (const [name, pattern] of optionPatterns) {
    if (!lower.startsWith(name) || (!name.endsWith(' ') && /[\w-]/.test(lower.charAt(name.length)))) continue
    for (const found of line.slice(name.trimEnd().length).matchAll(pattern)) {
      const secret = found[1] ?? found[2] ?? found[3] ?? ''
      const given = toGiven(secret, at + name.trimEnd().length + found.index + found[0].lastIndexOf(secret))
      if (given !== undefined) {
        progress.readFrom = given.end
        yield given
      }
    }
  }
}

function toGiven(secret: string, start: number): Found | undefined {
  const confidence = givenConfidence(secret)
  return confidence === 0 ? undefined : toChosen('PASSWORD', start, secret, 'command', confidence)
}

const piped = /(?:^|\s)(?:echo|printf)\s(?:-\w{1,3}\s)?["']?(?:([\w.-]{1,32}):)?([^\s"'|:]{5,64})["']?\s{0,3}$/

/** `echo secret | sudo -S …`, `echo "user:secret" | chpasswd`. */
export function* findPipedPassword(text: string, at: number): Generator<Found> {
  const from = Math.max(0, at - 120)
  const found = piped.exec(text.slice(from, at))
  const given =
    found === null ? undefined : toGiven(found[2] ?? '', from + found.index + found[0].lastIndexOf(found[2] ?? ''))
  if (given !== undefined) yield given
}
