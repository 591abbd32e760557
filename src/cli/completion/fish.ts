import type { Choice, CompletionModel, Value } from "./model.ts";

/** One function that prints what may come next, so that a key press evaluates one condition and not a thousand. */
export function fishScript({ words, flags, switches, values, fileCommands }: CompletionModel): string {
  return `# Completion of the foyer command for fish.
# For every shell: foyer completion fish > ~/.config/fish/completions/foyer.fish

function __foyer_words
    switch "$argv"
${cases([...words].map(([line, choices]) => [quote(line), list(choices)]))}
    end
end

function __foyer_flags
    switch "$argv"
${cases([...flags].map(([line, choices]) => [quote(line), list(choices)]))}
        case '*'
            return 1
    end
end

function __foyer_values
    switch "$argv[1]"
${cases([...values].map(([flag, value]) => [quote(flag), valueAction(value)]))}
    end
end

function __foyer_complete
    set -l line
    set -l flag ''
    set -l current (commandline -ct)
    set -l typed (commandline -opc)
    set -e typed[1]
    for word in $typed
        if test -n "$flag"
            set flag ''
            continue
        end
        switch $word
            case --
                __fish_complete_path "$current"
                return
            case '--*=*'
                continue
            case '-*'
                if not contains -- $word ${switches.join(" ")}
                    set flag $word
                end
            case '*'
                set -a line $word
        end
    end
    if test -n "$flag"
        __foyer_values $flag "$current"
        return
    end
    if string match -q -- '-*' "$current"
        if test (count $line) -eq 0
            set line serve
        end
        while test (count $line) -gt 0
            if __foyer_flags $line
                return
            end
            set -e line[-1]
        end
        return
    end
    if contains -- "$line" ${fileCommands.join(" ")}
        __fish_complete_path "$current"
    end
    __foyer_words $line
end

complete -c foyer -f -a '(__foyer_complete)'
`;
}

const list = (choices: readonly Choice[]) =>
  `printf '%s\\t%s\\n' ${choices.map(({ word, description }) => `${quote(word)} ${quote(description)}`).join(" ")}`;

const cases = (entries: readonly (readonly [string, string])[]) =>
  entries.map(([pattern, action]) => `        case ${pattern}\n            ${action}`).join("\n");

function valueAction(value: Value): string {
  if (value === "file") return "__fish_complete_path $argv[2]";
  if (value === "folder") return "__fish_complete_directories $argv[2]";
  return `printf '%s\\n' ${[value].flat().map(quote).join(" ")}`;
}

/** In single quotes fish reads backslashes before quotes and backslashes only. */
const quote = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
