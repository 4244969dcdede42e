import type { Command } from 'commander'
import { AppError } from '../../kernel/errors.ts'
import { line, showSentence } from '../../kernel/shown.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { show } from '../output/show.ts'

/** `assay service install`: runs `assay serve` whenever the user is logged in, by the service manager of the platform. */
export function addServiceCommands(program: Command, host: Host): void {
  const service = program
    .command('service')
    .description('keep `assay serve` running, so that scheduled scans and watches run: systemd or launchd')
  const command = (name: string, description: string) =>
    declareDataUse('none', service.command(name))
      .description(description)
      .option('--home <folder>', 'data folder (default: ASSAY_HOME, else the per-user data folder)')

  command('install', 'write the unit file, and print the commands that start it')
    .option('--print', 'only print the unit file')
    .option('--force', 'replace a unit file with other content')
    .action(async (options: Flags & { print?: boolean; force?: boolean }) => {
      const unit = await findUnit(host, options)
      if (options.print === true) {
        host.stdout.write(unit.text)
        return
      }
      const { planProxySetting, writeProxySetting } = await import('../../mcp-install/proxy-setting.ts')
      const proxy = planProxySetting(() => host.locate(options).home, host.env ?? {})
      const { writeUnit } = await import('../service-unit.ts')
      const isNew = writeUnit(unit, options.force === true)
      await show(
        host,
        isNew
          ? line`${showSentence(unit.file)} is written. Start it:`
          : line`${showSentence(unit.file)} is up to date.`,
        ...unit.start.map((each) => line`  ${showSentence(each)}`),
      )
      if (proxy === undefined) return
      const { describeProxy } = await import('./clients.ts')
      writeProxySetting(proxy)
      await show(host, describeProxy(proxy))
    })
  command('uninstall', 'remove the unit file, and print the commands that stop it first').action(
    async (options: Flags) => {
      const unit = await findUnit(host, options)
      const { rmSync, existsSync } = await import('node:fs')
      if (!existsSync(unit.file))
        throw new AppError('not_found', `${unit.file} does not exist; no service is installed.`)
      rmSync(unit.file)
      await show(
        host,
        line`${showSentence(unit.file)} is removed. If it runs, stop it:`,
        ...unit.stop.map((each) => line`  ${showSentence(each)}`),
      )
    },
  )
}

async function findUnit(host: Host, flags: Flags) {
  const [{ createUnit }, { fileURLToPath }, { homedir }, { packageFile }] = await Promise.all([
    import('../service-unit.ts'),
    import('node:url'),
    import('node:os'),
    import('../../runtime/package-files.ts'),
  ])
  const { home, env } = host.locate(flags)
  return createUnit({
    platform: process.platform,
    env,
    userHome: env.HOME || homedir(),
    node: process.execPath,
    program: fileURLToPath(packageFile('dist/main.js')),
    home,
  })
}
