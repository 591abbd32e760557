import { type IncomingHttpHeaders, request as sendRequest } from "node:http";
import { until } from "./harness.ts";

interface SentEvent {
  readonly id: string;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: as for Answer.json.
  readonly data: any;
}

/** A listener to an event stream, from the first byte on. */
export interface Listener {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Everything as it came. */
  text(): string;
  /** The id that the stream stands at, also before the first event. */
  lastId(): string;
  events(): SentEvent[];
  /** Waits for so many events and gives them. */
  first(count: number): Promise<SentEvent[]>;
  /** Resolves when the service has ended the stream. */
  readonly ended: Promise<void>;
  leave(): void;
}

export function listenTo(
  service: { readonly port: number },
  path: string,
  { token, lastEventId, method = "GET" }: { token: string; lastEventId?: string; method?: string },
): Promise<Listener> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastEventId !== undefined && { "last-event-id": lastEventId }),
  };
  return new Promise((resolve, reject) => {
    const sent = sendRequest({ hostname: "127.0.0.1", port: service.port, path, method, headers, agent: false });
    sent.once("error", reject);
    sent.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("error", () => undefined);
      const ended = new Promise<void>((end) => response.once("close", end));
      const events = () => eventsOf(text);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        lastId: () => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? "",
        events,
        async first(count) {
          await until(() => events().length >= count);
          return events().slice(0, count);
        },
        ended,
        leave: () => sent.destroy(),
      });
    });
    sent.end();
  });
}

/** Blocks without data tell where the stream stands and are no events; the last piece may not be whole yet. */
function eventsOf(text: string): SentEvent[] {
  const blocks = text.split("\n\n").slice(0, -1);
  return blocks
    .map((block) =>
      Object.fromEntries(block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)])),
    )
    .filter((block) => block.data !== undefined)
    .map(({ id, event, data }) => ({ id: id ?? "", event: event ?? "", data: JSON.parse(data ?? "null") }));
}
