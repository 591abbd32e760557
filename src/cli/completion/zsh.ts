import type { Choice, CompletionModel, Value } from "./model.ts";

/** Put it into a folder of $fpath as _foyer, or source it after compinit. */
export function zshScript({ words, flags, switches, values, fileCommands }: CompletionModel): string {
  return `#compdef foyer
# Completion of the foyer command for zsh.
# For every shell:  foyer completion zsh > ~/.zfunc/_foyer, with ~/.zfunc in fpath

_foyer() {
  local line="" flag="" word i
  local -a choices
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n "$flag" ]]; then flag=""; continue; fi
    case "$word" in
      --) _normal; return ;;
      --*=*) ;;
      -*) if [[ ${quote(` ${switches.join(" ")} `)} != *" $word "* ]]; then flag="$word"; fi ;;
      *) line="$line\${line:+ }$word" ;;
    esac
  done
  if [[ -n "$flag" ]]; then
    case "$flag" in
${cases([...values].map(([flag, value]) => [flag, valueAction(value)]))}
    esac
    return
  fi
  if [[ "\${words[CURRENT]}" == -* ]]; then
    word="\${line:-serve}"
    while [[ -n "$word" ]]; do
      choices=()
      case "$word" in
${cases([...flags].map(([line, choices]) => [quote(line), `choices=(${list(choices)})`]))}
      esac
      if [[ "\${#choices}" -gt 0 ]]; then _describe -o flag choices; return; fi
      if [[ "$word" != *" "* ]]; then return; fi
      word="\${word% *}"
    done
    return
  fi
  case "$line" in
    ${fileCommands.join("|")}) _files; return ;;
${cases([...words].map(([line, choices]) => [quote(line), `choices=(${list(choices)})`]))}
  esac
  if [[ "\${#choices}" -gt 0 ]]; then _describe word choices; fi
}

if [[ "\${funcstack[1]}" == _foyer ]]; then
  _foyer "$@"
else
  compdef _foyer foyer
fi
`;
}

/** A colon would end the word. */
const list = (choices: readonly Choice[]) =>
  choices.map(({ word, description }) => quote(`${word.replaceAll(":", "\\:")}:${description}`)).join(" ");

const cases = (entries: readonly (readonly [string, string])[]) =>
  entries.map(([pattern, action]) => `      ${pattern}) ${action} ;;`).join("\n");

function valueAction(value: Value): string {
  if (value === "file") return "_files";
  if (value === "folder") return "_files -/";
  return `compadd -- ${[value].flat().map(quote).join(" ")}`;
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
