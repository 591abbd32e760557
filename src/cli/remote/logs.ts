import type { GetLobbyLogsAnswer } from "foyer-sdk";
import { dim } from "../terminal.ts";
import { UsageError } from "./exit-codes.ts";
import { findLobbyId, newestLobbyId } from "./lobby-ids.ts";
import type { Remote } from "./run-remote.ts";
import { clean } from "./show.ts";

const streams = ["stdout", "stderr"] as const;
type Stream = (typeof streams)[number];
const marks: Readonly<Record<Stream, string>> = { stdout: "out |", stderr: "err |" };

/** `foyer logs [LOBBY_ID] [-f]`: both streams, each line marked with its own, or one of them as it is. */
export async function logs(remote: Remote): Promise<undefined> {
  const { parsed, terminal, isJson } = remote;
  const { client, ...target } = await remote.target();
  const wanted = streams.filter((stream) => parsed.flags.has(stream));
  if (wanted.length > 1) throw new UsageError("Both streams are shown without --stdout and --stderr.");
  const [given] = parsed.words;
  const lobbyId = given === undefined ? await newestLobbyId(client, target) : await findLobbyId(client, target, given);
  if (given === undefined && !isJson) terminal.err(`${dim(terminal, `The newest lobby, ${lobbyId}:`)}\n`);
  const [only] = wanted;
  const shown = only === undefined ? streams : [only];
  const mark = (stream: Stream) => (only === undefined ? `${dim(terminal, marks[stream])} ` : "");
  const { getLogs } = client.games.namespaces.lobbies;

  if (!parsed.flags.has("follow")) {
    const answers = await Promise.all(
      shown.map((stream) => getLogs(target.game_id, target.namespace_id, lobbyId, { stream })),
    );
    const lines = (answer: GetLobbyLogsAnswer) => splitLines(answer.text).map((line) => mark(answer.stream) + line);
    if (answers.every(({ text }) => text === "") && !isJson) terminal.err("It has written nothing.\n");
    remote.print(only === undefined ? { lobby_id: lobbyId, logs: answers } : answers[0], () =>
      answers.flatMap(lines).join(""),
    );
    return;
  }
  const follow = async (stream: Stream) => {
    const query = { stream, follow: true } as const;
    for await (const { event, data } of getLogs(target.game_id, target.namespace_id, lobbyId, query)) {
      if (isJson) terminal.out(`${JSON.stringify({ stream, ...data })}\n`);
      else if (event === "line") terminal.out(`${mark(stream)}${clean(data.text)}\n`);
    }
  };
  await Promise.all(shown.map(follow));
}

function splitLines(text: string): string[] {
  const trimmed = text.trimEnd();
  return trimmed === "" ? [] : trimmed.split("\n").map((line) => `${clean(line)}\n`);
}
