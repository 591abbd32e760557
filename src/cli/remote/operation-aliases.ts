/** `foyer games …` is `foyer call games …`. Not read from the contract, which would slow every start down; a test compares. */
export const operationAliases: readonly string[] = ["games", "audit", "auth", "nodes"];
