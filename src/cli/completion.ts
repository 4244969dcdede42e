import { quoteForSh } from '../runtime/shell.ts'
import type { CommandShape, OptionShape } from './shape.ts'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** What is completed after a command, and the values of arguments that are words of a list. */
export interface CompletionInput {
  commands: readonly CommandShape[]
  /** Words that the first argument of a command may be, by path. */
  words: Readonly<Record<string, readonly string[]>>
}

/** A script that completes commands, options and their values; none of its words is evaluated by the shell. */
export function toCompletionScript(shell: Shell, input: CompletionInput): string {
  if (shell === 'fish') return toFish(input)
  const functions = toFunctions(input)
  return shell === 'bash' ? `${functions}${BASH}` : `#compdef assay\n${functions}${ZSH}`
}

const namesOf = (options: readonly OptionShape[]): string[] => options.flatMap(({ names }) => names)

/** Functions that print the words after a command, the values of an option, and whether an option takes one. */
function toFunctions({ commands, words }: CompletionInput): string {
  const toCase = (pattern: string, list: readonly string[]) =>
    `    ${quoteForSh(pattern)}) printf '%s\\n' ${list.map(quoteForSh).join(' ')} ;;\n`
  const after = commands.map(({ path, commands: inner, options }) =>
    toCase(path, [...inner.map(({ name }) => name), ...(words[path] ?? []), ...namesOf(options)]),
  )
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, choices, takesValue }) =>
      takesValue
        ? names.map((name) =>
            choices.length === 0
              ? `    ${quoteForSh(`${path} ${name}`)}) return 2 ;;\n`
              : toCase(`${path} ${name}`, choices),
          )
        : [],
    ),
  )
  const paths = commands.map(({ path }) => path).filter(Boolean)
  return `_assay_after() {
  case "$1" in
${after.join('')}  esac
}
# Prints the values of an option; 2 for an option with any value, 1 for one without.
_assay_values() {
  case "$1" in
${values.join('')}    *) return 1 ;;
  esac
}
_assay_is_command() {
  case "$1" in
    ${paths.map(quoteForSh).join('|')}) return 0 ;;
  esac
  return 1
}
# The command that the words of the line name, without options and their values.
_assay_path() {
  local found='' skip=0 word
  for word in "$@"; do
    if [ "$skip" = 1 ]; then skip=0; continue; fi
    case "$word" in
      -*) _assay_values "$found $word" >/dev/null; [ $? = 1 ] || skip=1 ;;
      *) if _assay_is_command "\${found:+$found }$word"; then found="\${found:+$found }$word"; fi ;;
    esac
  done
  printf '%s' "$found"
}
`
}

const BASH = `_assay() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path words
  path=$(_assay_path "\${COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  if words=$(_assay_values "$path $prev"); then :
  elif [ $? = 2 ]; then return
  else words=$(_assay_after "$path"); fi
  local IFS=$'\\n' word
  for word in $words; do
    case "$word" in "$cur"*) COMPREPLY+=("$word") ;; esac
  done
}
complete -o default -F _assay assay
`

const ZSH = `_assay() {
  local at found option result
  local -a candidates
  at=$(_assay_path "\${(@)words[2,CURRENT-1]}")
  option=$words[CURRENT-1]
  found=$(_assay_values "$at $option")
  result=$?
  if [ $result = 2 ]; then _files; return; fi
  if [ $result = 1 ]; then found=$(_assay_after "$at"); fi
  candidates=("\${(@f)found}")
  if [ $result = 1 ] && [[ $PREFIX != -* ]]; then candidates=("\${(@)candidates:#-*}"); fi
  compadd -a candidates || { [ $result = 1 ] && _files; }
}
if [ "$funcstack[1]" = _assay ]; then _assay "$@"; else compdef _assay assay; fi
`

function toFish({ commands, words }: CompletionInput): string {
  const lines = commands.flatMap(({ path, commands: inner, options }) => {
    const when = `-n ${quoteForSh(`__assay_at ${path}`.trim())}`
    return [
      ...inner.map(
        ({ name, description }) => `complete -c assay -f ${when} -a ${quoteForSh(name)} -d ${quoteForSh(description)}`,
      ),
      ...(words[path] ?? []).map((word) => `complete -c assay -f ${when} -a ${quoteForSh(word)}`),
      ...options.map(({ names, description, choices, takesValue }) => {
        const flags = names
          .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
          .join(' ')
        const value = takesValue ? (choices.length > 0 ? ` -x -a ${quoteForSh(choices.join(' '))}` : ' -r') : ''
        return `complete -c assay ${when} ${flags}${value} -d ${quoteForSh(description)}`
      }),
    ]
  })
  const paths = commands.map(({ path }) => path).filter(Boolean)
  const valued = commands.flatMap(({ path, options }) =>
    options.flatMap(({ names, takesValue }) => (takesValue ? names.map((name) => `${path} ${name}`) : [])),
  )
  return `# The command that the words of the line name, without options and their values.
function __assay_path
  set -l found
  set -l skip 0
  for word in (commandline -opc)
    if test $skip = 1
      set skip 0
    else if string match -q -- '-*' $word
      contains -- "$found $word" ${valued.map(quoteForSh).join(' ')}; and set skip 1
    else if contains -- (string join ' ' $found $word) ${paths.map(quoteForSh).join(' ')}
      set -a found $word
    end
  end
  string join ' ' $found
end
function __assay_at
  set -l found (__assay_path)
  test "$found" = "$argv"
end
${lines.join('\n')}
`
}
