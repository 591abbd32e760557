/** Pages of `foyer help` that are about no command. */
export const helpTopics = {
  "exit-codes": {
    summary: "What foyer's exit codes mean.",
    rows: [
      ["0", "Done. Also when Ctrl-C ended a command that runs until then."],
      ["1", "Failed: a check found something, a deploy was rolled back, the service did not start or stop."],
      ["2", "The command line, a variable or a setting is wrong, or --yes is missing. Nothing was done."],
      ["3", "The service refused the call. The message has its code and the request id."],
      ["4", "The service cannot be reached, or cannot answer now. Trying again later may help."],
      ["130", "Ctrl-C stopped the command before it was done. After SIGTERM it is 143."],
    ],
  },
  environment: {
    summary: "The variables that commands read.",
    rows: [
      ["FOYER_URL", "The address of the service, as --endpoint."],
      ["FOYER_ADMIN_TOKEN", "The token to call it with."],
      ["FOYER_CLOUD_TOKEN", "The same, for a token of one game."],
      ["NO_COLOR", "Set to anything: no colours. Without a terminal there are none."],
      ["XDG_CONFIG_HOME", "foyer/profiles.json in it has what foyer login keeps; ~/.config by default."],
      ["FOYER_…", "Settings of foyer serve; foyer help serve lists them."],
    ],
  },
} as const satisfies Record<
  string,
  { readonly summary: string; readonly rows: readonly (readonly [string, string])[] }
>;

export type HelpTopic = keyof typeof helpTopics;
