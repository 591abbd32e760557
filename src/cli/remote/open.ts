import { toSignInUrl } from "../sign-in-url.ts";
import { dim } from "../terminal.ts";
import type { Remote } from "./run-remote.ts";

/** `foyer open`: an address that signs a person in to the dashboard. */
export async function open({ client, print, terminal }: Remote): Promise<undefined> {
  const { connection, auth } = await client();
  const { code, expires_ts } = await auth.createSignInCode();
  const url = toSignInUrl(connection.endpoint, code);
  print(
    { url, expires_ts },
    () => `${url}\n${dim(terminal, "Open it in a browser within 5 minutes; it works once.")}\n`,
  );
}
