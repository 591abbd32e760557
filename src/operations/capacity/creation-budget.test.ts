import { expect, test } from "vitest";
import { networkShare } from "../../ground/rates.ts";
import { createCreationBudget } from "./creation-budget.ts";

test("[RA3] a network over its budget leaves its clients' own budgets as they were", () => {
  const budget = createCreationBudget(1);
  const client = (id: number) => ({ id: `client-${id}`, network: "network" });
  for (let id = 0; id < networkShare; id++) {
    expect(budget.hold(client(id), 0)).toBe(0);
    budget.settle(client(id), true, 0);
  }
  const late = client(networkShare);
  expect(budget.hold(late, 0)).toBe(60);
  expect(budget.hold(late, 0)).toBe(60);
  // Alone, as after the network's minute, it has all of its own.
  expect(budget.hold({ id: late.id, network: null }, 0)).toBe(0);
});
