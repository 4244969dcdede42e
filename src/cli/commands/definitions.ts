import type { Command } from 'commander'
import type { ApplyOptions, Outcome } from '../../definitions/apply.ts'
import { count } from '../../kernel/count.ts'
import { AppError } from '../../kernel/errors.ts'
import { line, type PrintableText, showAmount, showCode, showJson, showName, showSentence } from '../../kernel/shown.ts'
import { authorOf } from '../../operation/author.ts'
import { shell } from '../../runtime/shell.ts'
import { declareDataUse } from '../data-use.ts'
import type { Flags, Host } from '../host.ts'
import { type Block, type Span, type Tone, warning } from '../output/blocks.ts'
import { show } from '../output/show.ts'
import { printJson, withSession } from '../session.ts'

interface FolderFlags extends Flags {
  dir: string
  json?: boolean
  prune?: boolean
  force?: boolean
  dryRun?: boolean
}

export function addDefinitionCommands(program: Command, host: Host): void {
  const command = (use: Parameters<typeof declareDataUse>[0], name: string, description: string) =>
    declareDataUse(use, program.command(name))
      .description(description)
      .requiredOption('--dir <folder>', 'the folder of definitions')
      .option('--json', 'print the result as JSON')

  command(
    'existing',
    'export',
    'write glossary, metrics, dashboards, watches, due dates and custom detectors as YAML, one file each',
  )
    .option('--prune', 'remove files of definitions that are not in the database')
    .option('--force', 'overwrite files with edits that were not applied')
    .action(async ({ dir, json, prune = false, force = false, home }: FolderFlags) => {
      await withSession(host, { home }, async ({ app }) => {
        const context = app.contextFor({ caller: app.caller, signal: host.signal })
        const { exportDefinitions, makeExportFolder } = await import('../../definitions/export.ts')
        makeExportFolder(dir)
        const result = exportDefinitions(context.store, await readDefinitions(host, dir), { prune, force })
        if (json) return printJson(host, result)
        const { created, updated, removed, left, unchanged } = result
        const counts = line`${created.length} new, ${updated.length} changed, ${removed.length} removed, ${unchanged} unchanged`
        const listed = [
          ...created.map((path) => toFileLine('create', path)),
          ...updated.map((path) => toFileLine('update', path)),
          ...removed.map((path) => toFileLine('delete', path)),
          ...left.map((path) => line`? ${showSentence(path)} is not in the database; apply it, or remove the file`),
        ]
        await show(host, ...listed, line`${showSentence(dir)}: ${counts}`)
      })
    })

  command(
    'existing',
    'diff',
    'show what applying a folder would change, and which metric values would change; exit 1 if there are differences',
  )
    .option('--prune', 'also show definitions without a file as deleted')
    .option('--force', 'ignore changes made in the database since the export')
    .action(async (options: FolderFlags) => {
      const { changes } = await applyAndPrint(host, options, { ...toApplyOptions(options), dryRun: true })
      if (changes.length > 0) {
        const differing = changes.length === 1 ? '1 definition differs' : `${changes.length} definitions differ`
        throw new AppError(
          'conflict',
          `${differing}; \`assay apply --dir ${shell.quote(options.dir)}\` makes the database match the files.`,
        )
      }
    })

  command(
    ({ options }) => (options.dryRun === true ? 'existing' : 'created'),
    'apply',
    'replace the definitions in the database with those of a folder, all or nothing',
  )
    .option('--dry-run', 'only show what would change')
    .option('--prune', 'delete definitions without a file, of the kinds that have a folder')
    .option('--force', 'overwrite definitions that were changed in the database since the export')
    .action(async (options: FolderFlags) => {
      await applyAndPrint(host, options, toApplyOptions(options))
    })

  command('none', 'validate', 'check a folder of definitions without a database; exit 1 if there are problems').action(
    async ({ dir, json }: FolderFlags) => {
      const { validateFolder } = await import('../../definitions/apply.ts')
      const { toProblemLine } = await import('../../definitions/folder.ts')
      const { files, problems, outside } = validateFolder(await readDefinitions(host, dir))
      if (json) printJson(host, { files, problems, outside })
      else {
        await show(
          host,
          ...problems.map((problem): Block => ({ text: showSentence(toProblemLine(problem)), tone: 'bad' })),
          ...outside.map((problem) => line`note: ${showSentence(toProblemLine(problem))}`),
          ...(problems.length === 0
            ? [line`${showSentence(dir)}: ${count(files, 'definition')} ${files === 1 ? line`is` : line`are`} valid`]
            : []),
        )
      }
      if (problems.length === 0) return
      throw new AppError(
        'invalid_input',
        `${count(problems.length, 'problem')} in the definitions; each is named above with its file and line.`,
      )
    },
  )
}

async function readDefinitions(host: Host, dir: string) {
  const { readFolderInTurns } = await import('../../definitions/folder.ts')
  return readFolderInTurns(dir, host.signal)
}

function toApplyOptions({ dryRun = false, prune = false, force = false }: FolderFlags): ApplyOptions {
  return { dryRun, prune, force }
}

async function applyAndPrint(host: Host, { dir, json, home }: FolderFlags, options: ApplyOptions): Promise<Outcome> {
  return withSession(host, { home }, async ({ app }) => {
    const context = app.contextFor({ caller: app.caller, signal: host.signal })
    const [{ applyFolder }, { toReceiverTools }] = await Promise.all([
      import('../../definitions/apply.ts'),
      import('../../watches/operations.ts'),
    ])
    const outcome = applyFolder(
      context.store,
      await readDefinitions(host, dir),
      options,
      authorOf(context),
      toReceiverTools(context),
    )
    if (json) printJson(host, toJson(outcome, options))
    else await show(host, ...(await toText(outcome, options)))
    return outcome
  })
}

function toJson({ changes, ...outcome }: Outcome, { dryRun }: ApplyOptions) {
  const plain = changes.map(({ before, after, ...change }) => change)
  return { applied: !dryRun, changes: plain, ...outcome }
}

const signs = { create: line`+`, update: line`~`, delete: line`-` } as const
const tones = { create: 'good', update: 'notice', delete: 'bad' } as const satisfies Record<keyof typeof signs, Tone>
const MAX_VALUE = 100

const toFileLine = (action: keyof typeof signs, path: string): Block => ({
  text: line`${signs[action]} ${showSentence(path)}`,
  tone: tones[action],
})

const showValue = (value: unknown) => (value === undefined ? line`nothing` : showSentence(showJson(value), MAX_VALUE))

/** A value with the one that replaces it. */
const showReplaced = (before: PrintableText, after: PrintableText): (PrintableText | Span)[] => [
  { text: before, tone: 'bad' },
  line` → `,
  { text: after, tone: 'good' },
]

async function toText({ changes, unchanged, moves, trust }: Outcome, { dryRun }: ApplyOptions): Promise<Block[]> {
  const { kindWords } = await import('../../definitions/model.ts')
  const blocks = changes.flatMap(({ action, kind, name, file, members }): Block[] => {
    const place = file === undefined ? line`` : line` (${showSentence(file)})`
    const head = line`${signs[action]} ${showName(kindWords[kind])} ${showName(name)}`
    return [
      [{ text: head, tone: tones[action] }, place],
      ...members.map(({ path, before, after }): Block => {
        const of = line`    ${showSentence(path)}: `
        return [of, ...showReplaced(showValue(before), showValue(after))]
      }),
    ]
  })
  if (moves.length > 0) {
    blocks.push(dryRun ? line`Metric values that would change:` : line`Metric values that changed:`)
    for (const { metric, before, after } of moves) {
      const of = line`  ${showCode(metric)}: `
      blocks.push([of, ...showReplaced(showMoved(before, line`(new)`), showMoved(after, line`(gone)`))])
    }
  }
  for (const { metric, before, after } of trust)
    blocks.push(warning(`${metric} was ${before} and ${dryRun ? 'would be' : 'is'} ${after}`))
  const done = dryRun ? line`${changes.length} to change` : line`${changes.length} changed`
  return [...blocks, line`${changes.length === 0 ? line`nothing to change` : done}, ${unchanged} unchanged`]
}

const showMoved = (value: { formatted: string } | null, absent: PrintableText): PrintableText =>
  value === null ? absent : showAmount(value.formatted)
