/** The part of autocannon that the benchmarks use; the package brings no types. */
declare module "autocannon" {
  interface Client {
    setRequests(
      requests: readonly { readonly body: string; readonly headers: Readonly<Record<string, string>> }[],
    ): void;
  }

  interface Options {
    readonly url: string;
    readonly method: string;
    readonly connections: number;
    /** Seconds. */
    readonly duration?: number;
    /** Ends the run after this many answers instead, shared out evenly between the connections. */
    readonly amount?: number;
    readonly setupClient: (client: Client) => void;
    readonly verifyBody: (body: string) => boolean;
  }

  interface Result {
    readonly errors: number;
    readonly non2xx: number;
    /** Answers whose body verifyBody did not like. */
    readonly mismatches: number;
    /** Seconds. */
    readonly duration: number;
  }

  interface Run extends PromiseLike<Result> {
    on(
      event: "response",
      listener: (client: Client, status: number, bytes: number, milliseconds: number) => void,
    ): this;
  }

  export default function autocannon(options: Options): Run;
}
