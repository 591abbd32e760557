import type { CompletionModel } from "./model.ts";

/** Works with bash 3.2 and later, and without the package bash-completion. */
export function bashScript({ words, flags, switches, values, fileCommands }: CompletionModel): string {
  return `# Completion of the foyer command for bash.
# For this shell:   source <(foyer completion bash)
# For every shell:  foyer completion bash > ~/.local/share/bash-completion/completions/foyer

_foyer_words() {
  case $1 in
${cases([...words].map(([line, choices]) => [quote(line), `echo ${quote(list(choices))}`]))}
  esac
}

_foyer_flags() {
  case $1 in
${cases([...flags].map(([line, choices]) => [quote(line), `echo ${quote(list(choices))}`]))}
    *) return 1 ;;
  esac
}

_foyer_offer() {
  local IFS=$' \\t\\n'
  COMPREPLY=($(compgen -W "$1" -- "$2"))
}

_foyer_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}

_foyer() {
  local current=\${COMP_WORDS[COMP_CWORD]} line="" flag="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == = ]]; then continue; fi
    if [[ -n $flag ]]; then flag=""; continue; fi
    case $word in
      --) if ((i == COMP_CWORD - 1)); then _foyer_files -c "$current"; else _foyer_files -f "$current"; fi; return ;;
      -*) if [[ ${quote(` ${switches.join(" ")} `)} != *" $word "* ]]; then flag=$word; fi ;;
      *) line="$line\${line:+ }$word" ;;
    esac
  done
  if [[ -n $flag ]]; then
    if [[ $current == = ]]; then current=""; fi
    case $flag in
${cases([...values].map(([flag, value]) => [flag, valueAction(value)]))}
    esac
    return
  fi
  if [[ $current == -* ]]; then
    word=\${line:-serve}
    while [[ -n $word ]]; do
      if flag=$(_foyer_flags "$word"); then _foyer_offer "$flag" "$current"; return; fi
      if [[ $word != *" "* ]]; then return; fi
      word=\${word% *}
    done
    return
  fi
  _foyer_offer "$(_foyer_words "$line")" "$current"
  case $line in
    ${fileCommands.join("|")}) _foyer_files -f "$current" ;;
  esac
}

complete -F _foyer foyer
`;
}

const list = (choices: readonly { readonly word: string }[]) => choices.map(({ word }) => word).join(" ");

const cases = (entries: readonly (readonly [string, string])[]) =>
  entries.map(([pattern, action]) => `    ${pattern}) ${action} ;;`).join("\n");

function valueAction(value: string | readonly string[]): string {
  if (value === "file") return '_foyer_files -f "$current"';
  if (value === "folder") return '_foyer_files -d "$current"';
  return `_foyer_offer ${quote([value].flat().join(" "))} "$current"`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
