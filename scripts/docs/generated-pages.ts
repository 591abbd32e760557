import { commands } from "../../src/cli/commands.ts";
import { settingGroups } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import {
  defaultConfigFile,
  isSecret,
  mayBeInFile,
  settingKeys,
  toFileVariable,
  toFlag,
  toVariable,
} from "../../src/config/sources.ts";
import { errorCodes, errorTable } from "../../src/contract/errors.ts";
import { markdownTable, slugOf } from "./text.ts";

/** Pages that are made from tables of the service, as Markdown, by the name in docs/contents.json. */
export const generatedPages: Readonly<Record<string, () => string>> = {
  errors: errorsPage,
  settings: settingsPage,
  "command-line": commandLinePage,
};

function errorsPage(): string {
  const rows = errorCodes.map((code) => {
    const { status, meaning } = errorTable[code];
    return [`<a id="${code}" href="#${code}"><code>${code}</code></a>`, String(status), meaning];
  });
  return `# Errors

Every answer that is not a success has this body. \`errors\` lists every issue, not only the first; it and \`metadata\` are left out when
they are empty. Quote \`request_id\` when you look into the log of the service.

\`\`\`json
{
  "code": "CLOUD_INVALID_DOMAIN",
  "message": "The domain is invalid; see \`errors\`.",
  "request_id": "req-1",
  "documentation": "/docs/errors#CLOUD_INVALID_DOMAIN",
  "errors": [{ "path": ["domain"], "message": "The domain has no dot." }]
}
\`\`\`

${markdownTable(["Code", "Status", "Meaning"], rows)}
`;
}

function settingsPage(): string {
  const sections = settingGroups.map((group) => {
    const rows = settingKeys.filter((key) => settings[key].group === group).map(settingRow);
    return `## ${group}\n\n${markdownTable(["Setting", "Flag and variable", "Default", "Meaning"], rows)}`;
  });
  return `# Settings

Each setting is a flag, a variable or a key of \`${defaultConfigFile}\`, in this order of strength. Another file: \`--config FILE\` or
\`FOYER_CONFIG\`. \`foyer config\` shows the values in use and where each came from; \`foyer doctor\` checks them.

Secrets cannot be flags, because every user of the machine can read command lines. A setting with a variable that ends in \`_FILE\` may be in
the file that this variable names.

${sections.join("\n\n")}
`;
}

function settingRow(key: (typeof settingKeys)[number]): string[] {
  const { kind, fallback, description, absent } = { absent: undefined, ...settings[key] };
  const value = fallback === null ? `none: ${absent ?? "not set"}` : `\`${String(fallback) || "none"}\``;
  const flag = isSecret(key) ? null : `\`${toFlag(key)} ${kind.placeholder}\``;
  const names = [flag, `\`${toVariable(key)}\``, mayBeInFile(key) ? `\`${toFileVariable(key)}\`` : null].filter(
    Boolean,
  );
  return [
    `<a id="${key}" href="#${key}"><code>${key}</code></a>`,
    names.join("<br>"),
    value,
    `${description} Allowed: ${kind.allowed}.`,
  ];
}

function commandLinePage(): string {
  const sections = Object.entries(commands).map(([name, command]) => {
    const { usage, summary, details, examples } = command;
    const flags = Object.entries((command as { flags?: Record<string, Flag> }).flags ?? {});
    const rows = flags.map(([flag, { value, description }]) => [
      `\`--${flag}${value === null ? "" : ` ${value}`}\``,
      description,
    ]);
    return [
      `## ${name}`,
      `\`\`\`text\n${usage}\n\`\`\``,
      summary,
      details,
      rows.length > 0 && markdownTable(["Flag", "Meaning"], rows),
      examples.length > 0 &&
        markdownTable(
          ["Example", "What it does"],
          examples.map(([line, effect]) => [`\`${line}\``, effect]),
        ),
    ]
      .filter(Boolean)
      .join("\n\n");
  });
  const list = Object.entries(commands).map(([name, { summary }]) => [
    `[\`foyer ${name}\`](#${slugOf(name)})`,
    summary,
  ]);
  return `# Command line

\`foyer help\` lists the commands, \`foyer help COMMAND\` describes one. Commands that talk to a service take its address and token from, in this
order: \`--endpoint\` or \`FOYER_URL\` with \`FOYER_ADMIN_TOKEN\` or \`FOYER_CLOUD_TOKEN\`, \`--profile\`, the Foyer that runs on the data
folder here, and the profile in use. Exit codes: 0 done, 1 failed, 2 the command line is wrong, 3 the service refused it, 4 the service
cannot be reached or is not able to answer now.

${markdownTable(["Command", "What it does"], list)}

${sections.join("\n\n")}
`;
}

interface Flag {
  readonly value: string | null;
  readonly description: string;
}
