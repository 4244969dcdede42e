import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError, conflict } from '../kernel/errors.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { quoteForSh } from '../runtime/shell.ts'

interface Place {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  userHome: string
  node: string
  program: string
  /** The data folder. */
  home: string
}

/** A unit file of a service manager, with the commands that start and stop it. */
export interface Unit {
  file: string
  text: string
  start: string[]
  stop: string[]
}

/**
 * Settings of the C library of Linux (glibc), with which it returns memory to the system that a scan no longer needs;
 * by default it keeps some hundred megabytes.
 */
export const memorySettings: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: '65536',
  MALLOC_TRIM_THRESHOLD_: '65536',
}

/** @throws AppError `unavailable` where the platform has neither systemd nor launchd */
export function createUnit(place: Place): Unit {
  if (place.platform === 'darwin') return createAgent(place)
  if (place.platform !== 'linux') {
    const message = `There is no unit file for ${place.platform}; let its task scheduler run: assay serve`
    throw new AppError('unavailable', message)
  }
  const { env, userHome, node, program, home } = place
  const folder = join(env.XDG_CONFIG_HOME || join(userHome, '.config'), 'systemd', 'user')
  const command = [node, program, 'serve', '--home', home].map(quoteForSystemd).join(' ')
  const settings = Object.entries(memorySettings).map(([name, value]) => `Environment=${name}=${value}`)
  const text = `[Unit]
Description=Assay: scheduled scans, watches, REST, MCP and the console

[Service]
ExecStart=${command}
${settings.join('\n')}
Restart=on-failure
RestartSec=5
UMask=0077

[Install]
WantedBy=default.target
`
  return {
    file: join(folder, 'assay.service'),
    text,
    start: [
      'systemctl --user daemon-reload',
      'systemctl --user enable --now assay.service',
      'loginctl enable-linger   # also runs it while you are not logged in',
    ],
    stop: ['systemctl --user disable --now assay.service', 'systemctl --user daemon-reload'],
  }
}

/** systemd reads backslashes, quotes, `%` and `$` in a command. */
const quoteForSystemd = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`

const LABEL = 'io.github.assay.serve'

function createAgent({ userHome, node, program, home }: Place): Unit {
  const file = join(userHome, 'Library', 'LaunchAgents', `${LABEL}.plist`)
  const texts = [node, program, 'serve', '--home', home].map((text) => `    <string>${escapeXml(text)}</string>`)
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${texts.join('\n')}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>Umask</key>
  <integer>63</integer>
</dict>
</plist>
`
  return {
    file,
    text,
    start: [`launchctl bootstrap gui/$(id -u) ${quoteForSh(file)}`],
    stop: [`launchctl bootout gui/$(id -u)/${LABEL}`],
  }
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Whether the file was written; false where it has this content already. @throws AppError `conflict` */
export function writeUnit({ file, text }: Unit, force: boolean): boolean {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (before === text) return false
  if (before !== undefined && !force) throw conflict(`${file} exists with other content; add --force to replace it.`)
  makeFolder(dirname(file))
  writeFileSync(file, text)
  return true
}
