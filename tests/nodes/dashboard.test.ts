import { expect, test } from "vitest";
import { startChromium } from "../browser/chromium.ts";
import { openDashboard, signIn } from "../browser/dashboard.ts";
import { arenaOf, createArena, tokensOf } from "../support/arena.ts";
import { ensureDashboardBuilt } from "../support/server.ts";
import { install } from "./installation.ts";

test("[DB32] the dashboard of one node shows what happens on the other", { timeout: 240_000 }, async () => {
  await ensureDashboardBuilt();
  const installation = await install();
  const [a, b] = [await installation.start("a"), await installation.start("b")];
  const arena = await createArena(a);
  const onB = arenaOf(b, arena.namespace, arena);
  const browser = await startChromium();
  const complaints: string[] = [];
  try {
    const { game_id, namespace_id } = (await a.admin("GET", arena.namespace.path)).namespace;
    const address = `${a.url}/dashboard/games/${game_id}/namespaces/${namespace_id}/lobbies`;
    const page = await openDashboard(browser, address, complaints);
    await signIn(page, a.adminToken);
    await page.getByText("No lobby is running").waitFor();

    const lobby = await onB.ready();
    const row = page.getByRole("row").filter({ hasText: lobby.lobbyId.slice(-8) });
    await row.getByText("0/2").waitFor();
    const [token] = tokensOf(await onB.find());
    await row.getByText("1/2").waitFor();
    await row.getByRole("link").click();
    await page.getByText("0 connected, 1 reserved, 0 held.").waitFor();
    expect((await lobby.connect(token!)).status).toBe(200);
    await page.getByText("1 connected, 0 reserved, 0 held.").waitFor();
    expect((await lobby.setClosed(true)).status).toBe(204);
    await page.getByText("The lobby itself closed this lobby").waitFor();
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});
