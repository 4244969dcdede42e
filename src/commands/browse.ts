import { spawn } from 'node:child_process'

const commands: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the browser of the user; false where there is none. */
export function browse(url: string, env: Readonly<Record<string, string | undefined>>): Promise<boolean> {
  const [command, ...args] = commands[process.platform] ?? ['xdg-open']
  const hasDisplay = process.platform === 'win32' || process.platform === 'darwin'
  if (!hasDisplay && !env.DISPLAY && !env.WAYLAND_DISPLAY) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
