import { Argument, type Command } from 'commander'
import { type Shell, shells } from '../completion.ts'
import { declareDataUse } from '../data-use.ts'
import type { Host } from '../host.ts'

export function addCompletionCommand(program: Command, host: Host): void {
  declareDataUse('none', program.command('completion'))
    .description('print a script that completes commands, options and operations in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action(async (shell: Shell) => {
      const [{ toCompletionScript }, { listCommands }] = await Promise.all([
        import('../completion.ts'),
        import('../shape.ts'),
      ])
      const operations = (await host.operations({})).map(({ name }) => name)
      const input = { commands: listCommands(program), words: { call: operations, completion: shells } }
      host.stdout.write(toCompletionScript(shell, input))
    })
}
