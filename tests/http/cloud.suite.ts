import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationList } from "../../src/contract/index.ts";
import { type Service, startService } from "../support/harness.ts";
import type { ServiceKind } from "../support/services/stores.ts";
import { auditTests } from "./audit.suite.ts";
import { buildsTests } from "./builds.suite.ts";
import { domainsTests } from "./domains.suite.ts";
import { gamesTests } from "./games.suite.ts";
import { insightTests } from "./insight.suite.ts";
import { mocksTests } from "./mocks.suite.ts";
import { namespacesTests } from "./namespaces.suite.ts";
import { pagesTests } from "./pages.suite.ts";
import { quotasTests } from "./quotas.suite.ts";
import { wasSeen } from "./seen.ts";
import { signInTests } from "./sign-in.suite.ts";
import { tokensTests } from "./tokens.suite.ts";
import { versionDeletionTests } from "./version-deletion.suite.ts";
import { versionsTests } from "./versions.suite.ts";

/**
 * Every operation of the control plane and every mock on one store. The suites share a process, so that the last test
 * can say whether each outcome that the contract declares was really seen.
 */
export function controlPlaneTests(kind: ServiceKind): void {
  let service: Service;
  const at = () => service;

  beforeAll(async () => {
    service = await startService(kind);
  });
  afterAll(() => service?.close());

  describe("games", () => gamesTests(at));
  describe("namespaces", () => namespacesTests(at));
  describe("domains", () => domainsTests(at));
  describe("tokens", () => tokensTests(at));
  describe("signing in", () => signInTests(kind, at));
  describe("versions and deployments", () => versionsTests(at));
  describe("deleting versions", () => versionDeletionTests(at));
  describe("quotas", () => quotasTests(kind));
  describe("builds", () => buildsTests(kind, at));
  describe("the audit log", () => auditTests(at));
  describe("insight", () => insightTests(at));
  describe("pages", () => pagesTests(at));
  describe("mock answers", () => mocksTests(at));

  test("every outcome that the contract declares was seen", () => {
    const declared = operationList.flatMap(([id, operation]) => {
      // A stream never ends by itself; its own tests listen to it.
      if (operation.stream) return [];
      const isCloud = operation.path.startsWith("/cloud/");
      const codes = isCloud ? operation.errors : operation.errors.filter((code) => mockCodes.has(code));
      return isCloud || operation.callers.includes("dev") ? ["ok", ...codes].map((code) => ({ id, code })) : [];
    });
    const expected = declared.filter(
      ({ id, code }) => !needsLobbies.has(code) && !/^games\.namespaces\.(lobbies|blocks)\./.test(id),
    );
    const unseen = expected.filter(({ id, code }) => !wasSeen(kind, id, code));
    expect(unseen).toEqual([]);
  });
}

/** What a development token can run into: what is decided by the request alone. */
const mockCodes: ReadonlySet<string> = new Set([
  "API_BAD_QUERY",
  "API_BODY_TOO_LARGE",
  "MATCHMAKER_NO_GAME_MODE_PROVIDED",
  "MATCHMAKER_TOO_MANY_TAGS",
  "MATCHMAKER_TAG_TOO_LONG",
  "MATCHMAKER_LOBBY_CONFIG_INVALID",
  "MATCHMAKER_PLAYER_NOT_FOUND",
]);

/** These need lobbies that live, and so do the operations on a namespace's lobbies; the matchmaker's own tests show them. */
const needsLobbies: ReadonlySet<string> = new Set(["CLOUD_NAMESPACE_NOT_EMPTY", "CLOUD_LOBBY_NOT_FOUND"]);
