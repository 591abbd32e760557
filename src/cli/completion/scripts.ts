import { exitCodes } from "../remote/exit-codes.ts";
import type { Terminal } from "../terminal.ts";

// Each of them asks `foyer __complete` at a key press, so that it always fits the command that is installed.

const bash = `# Completion of the foyer command for bash 3.2 and later.
# For this shell:   source <(foyer completion bash)
# For every shell:  foyer completion bash > ~/.local/share/bash-completion/completions/foyer
_foyer() {
  local line current="\${COMP_WORDS[COMP_CWORD]#=}" IFS=$'\\n'
  COMPREPLY=()
  for line in $(foyer __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
    case $line in
      :file) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -f -- "$current")) ;;
      :folder) compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen -d -- "$current")) ;;
      :command) COMPREPLY+=($(compgen -c -- "$current")) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done
}
complete -F _foyer foyer
`;

const zsh = `#compdef foyer
# Completion of the foyer command for zsh.
# For every shell:  foyer completion zsh > ~/.zfunc/_foyer, with ~/.zfunc in fpath
_foyer() {
  local word about
  local -a choices
  foyer __complete "\${words[@]:1:$((CURRENT - 1))}" 2>/dev/null | while IFS=$'\\t' read -r word about; do
    case $word in
      :file) _files ;;
      :folder) _files -/ ;;
      :command) _command_names ;;
      *) choices+=("\${word//:/\\\\:}:$about") ;;
    esac
  done
  if [[ "\${#choices}" -gt 0 ]]; then _describe word choices; fi
}
if [[ "\${funcstack[1]}" == _foyer ]]; then _foyer "$@"; else compdef _foyer foyer; fi
`;

const fish = `# Completion of the foyer command for fish.
# For every shell: foyer completion fish > ~/.config/fish/completions/foyer.fish
function __foyer_complete
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    for line in (foyer __complete $typed[2..-1] "$current" 2>/dev/null)
        switch $line
            case :file :command
                __fish_complete_path "$current"
            case :folder
                __fish_complete_directories "$current"
            case '*'
                printf '%s\\n' $line
        end
    end
end
complete -c foyer -f -a '(__foyer_complete)'
`;

const scripts = { bash, zsh, fish } as const;
type Shell = keyof typeof scripts;

export const shells = Object.keys(scripts) as readonly Shell[];

/** `foyer completion SHELL`: prints the script that completes foyer's command line there. */
export function completion(shell: string, terminal: Terminal): number {
  if (!Object.hasOwn(scripts, shell)) {
    terminal.err(`foyer: "${shell}" is not one of ${shells.join(", ")}. For example: foyer completion bash\n`);
    return exitCodes.badUsage;
  }
  // Cast: one of them, as was just looked up.
  terminal.out(scripts[shell as Shell]);
  return exitCodes.done;
}
