/** An answer as the bare server can repeat it: without the headers that every Node server makes by itself. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

/** One request that must succeed. */
export async function send(
  method: "POST" | "PUT",
  url: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): Promise<Answer> {
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
  const chosen = [...response.headers].filter(([name]) => !["connection", "date", "keep-alive"].includes(name));
  return { status: response.status, headers: Object.fromEntries(chosen), body: text };
}
