// Calls every endpoint of the contract anonymously, with the wrong role, and with ids of other users' objects.
import { ROLES, Scope, createCredential, createToken, pathOf, scopeOf, verifyCredential } from "@strongroom/contract";
import type { Needs, Role } from "@strongroom/contract";
import { endpoints } from "@strongroom/contract/all";
import type { NamedEndpoint } from "@strongroom/contract/all";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Actor } from "#kernel/authz/actor.ts";
import { aPerson, firstAdmin } from "./people.ts";
import { sampleBody } from "./sample-bodies.ts";
import { testApp } from "./test-app.ts";
import type { TestApp } from "./test-app.ts";

const NOBODYS_ID = "0190c0de-0000-7000-8000-00000000dead";

/** Calls without sign-in. Add new ones here deliberately. */
const PUBLIC = [
  "addCheckpoint",
  "addFirstFactor",
  "beginFirstFactor",
  "beginOidc",
  "beginPasskeySignIn",
  "cancelRecoveryByLink",
  "completePasswordReset",
  "completeSignIn",
  "entrance",
  "finishOidc",
  "listWaysIn",
  "login",
  "readHealth",
  "readLiveness",
  "readReadiness",
  "readSeal",
  "register",
  "requestPasswordReset",
  "signInWithPasskey",
  "signOutOfProvider",
  "unseal",
];
/** Calls that are not plain reads and leave no entry. Add new ones here deliberately. */
const UNRECORDED = [
  "addCheckpoint",
  "beginPasskeySignIn",
  "beginStepUp",
  "clearNotifications",
  "dismissNotification",
  "dryRunOnboardingRule",
  "previewOnboarding",
  "previewRiskScore",
  "readAllNotifications",
  "readNotification",
  "reportActivity",
  "searchValidation",
  "signOutOfProvider",
];

let app: TestApp;
const tokens = {} as Record<Role, string>;
let ownersCredential: string;

before(async () => {
  app = await testApp();
  tokens.admin = (await firstAdmin(app)).token;
  for (const role of ["manager", "user"] as const) tokens[role] = (await aPerson(app, role)).token;
  const body = { name: "Owner's own", type: "password", value: "a secret value" } as const;
  const created = await app.call(createCredential, { body, as: tokens.manager });
  assert.equal(created.status, 201, created.text);
  ownersCredential = created.body.id;
});
after(() => app.close());

/** A value for each path parameter. */
const paramsOf = ({ endpoint: { path } }: NamedEndpoint, id: string) => ({
  ...Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name]) => [name, NOBODYS_ID])),
  ...(path.includes("/:version/") ? { version: "1" } : {}),
  id,
});

const send = (named: NamedEndpoint, as: string | undefined, id = NOBODYS_ID) =>
  app.call(named.endpoint, { params: paramsOf(named, id), body: sampleBody(named), as });

const withId = endpoints.filter((named) => named.endpoint.path.includes(":id"));

test("the public calls and the unrecorded writes are exactly the listed ones", () => {
  const names = (list: readonly NamedEndpoint[]) => list.map((named) => named.name).toSorted();
  assert.deepEqual(names(endpoints.filter(({ endpoint }) => endpoint.needs === "public")), PUBLIC);
  assert.deepEqual(
    names(endpoints.filter(({ endpoint }) => endpoint.audit === "none" && endpoint.method !== "GET")),
    UNRECORDED,
  );
});

describe("OPEN-19: every call is authorised on the server", () => {
  for (const named of endpoints.filter(({ endpoint }) => endpoint.needs !== "public")) {
    test(`${named.name} answers 401 without a token and to a forged one`, async () => {
      for (const token of [undefined, "x", "e30.e30.e30", `${tokens.admin.slice(0, -4)}AAAA`]) {
        const reply = await send(named, token);
        assert.equal(reply.status, 401, reply.text);
      }
    });
  }

  for (const named of endpoints.filter(({ endpoint }) => endpoint.needs !== "public")) {
    test(`${named.name} returns a problem document, never a 5xx, to an ordinary user without permissions`, async (context) => {
      if (named.name === "streamEvents") return context.diagnostic("stays open; it has tests of its own");
      // A new user for each call, because some calls end the session.
      const reply = await send(named, (await aPerson(app)).token);
      assert.ok(reply.status < 500, reply.text);
    });
  }

  test("refuses administrator calls to other roles with 403", async () => {
    const adminOnly = endpoints.filter(({ endpoint }) =>
      ["user.manage", "policy.manage", "seal.manage"].includes(endpoint.needs),
    );
    assert.ok(adminOnly.length >= 7);
    for (const named of adminOnly) {
      for (const role of ["user", "manager"] as const) {
        assert.equal((await send(named, tokens[role])).status, 403, `${named.name} as ${role}`);
      }
    }
  });

  test("records calls that the role does not allow, with caller and target", async () => {
    const reaching = await aPerson(app);
    const named = endpoints.find(({ name }) => name === "changeUserRole")!;
    assert.equal((await send(named, reaching.token)).status, 403);
    const { rows } = await app.database.pool.query(
      "select event, result, target_type, target_id from audit_entries where actor_id = $1 and event = 'user.role-changed'",
      [reaching.id],
    );
    const target = { target_type: "user", target_id: NOBODYS_ID };
    assert.deepEqual(rows, [{ event: "user.role-changed", result: "failure", ...target }]);
  });

  test("calls with an id that some role may not make declare the type of their target", () => {
    const may = (role: Role, needs: Needs) => {
      try {
        app.kernel.authority.require(needs, { role } as Actor);
        return true;
      } catch {
        return false;
      }
    };
    const isForSome = ({ endpoint }: NamedEndpoint) =>
      ROLES.some((role) => may(role, endpoint.needs)) && !ROLES.every((role) => may(role, endpoint.needs));
    const recorded = withId.filter(({ endpoint }) => endpoint.audit !== "none" && endpoint.needs !== "public");
    const unnamed = recorded.filter((named) => named.endpoint.thing === undefined && isForSome(named));
    assert.deepEqual(
      unnamed.map(({ name }) => name),
      [],
    );
  });

  test("AUTH-39: every role may use its own credentials", async () => {
    const own = endpoints.filter(({ endpoint }) => /^(credential|cpm|dashboard)\./.test(endpoint.needs));
    assert.ok(own.length >= 12);
    for (const named of own) {
      for (const role of ROLES)
        assert.notEqual((await send(named, tokens[role])).status, 403, `${named.name} as ${role}`);
    }
  });

  test("refuses the audit trail to ordinary users with 403", async () => {
    const audit = endpoints.filter(({ endpoint }) => endpoint.needs.startsWith("audit."));
    assert.ok(audit.length >= 4);
    for (const named of audit) assert.equal((await send(named, tokens.user)).status, 403, named.name);
  });
});

describe("an API token can make only the calls of its scopes", () => {
  test("refuses every call to an administrator's token without its scope", async () => {
    const body = { name: "Without", scopes: ["event.follow" as const], expires_in_days: 1 };
    const made = await app.call(createToken, { body, as: tokens.admin });
    assert.equal(made.status, 201, made.text);
    const others = endpoints.filter(({ endpoint }) => endpoint.needs !== "public" && endpoint.scope !== "event.follow");
    for (const named of others) {
      const reply = await send(named, made.body.token);
      const { code } = reply.body as { code?: string };
      const expected = scopeOf(named.endpoint) === null ? "token.session-needed" : "token.scope-missing";
      assert.deepEqual([reply.status, code], [403, expected], `${named.name}: ${reply.text}`);
    }
  });

  test("calls about the user's own sign-in are closed to tokens, and every scope opens a call", () => {
    const ofSessions = endpoints.filter(({ endpoint }) => /^\/api\/v1\/(auth|factors)\b/.test(endpoint.path));
    assert.ok(ofSessions.length >= 12);
    for (const { name, endpoint } of ofSessions) assert.equal(scopeOf(endpoint), null, name);
    const asked = new Set(endpoints.map(({ endpoint }) => scopeOf(endpoint)));
    assert.deepEqual(
      Scope.options.filter((scope) => !asked.has(scope)),
      [],
    );
  });
});

describe("another user's object is reported like one that does not exist", () => {
  const forCredentials = withId.filter(({ endpoint }) => endpoint.path.startsWith("/api/v1/credentials/"));
  for (const named of forCredentials) {
    test(`${named.name} answers 404 to every other user, whatever their role`, async () => {
      for (const role of ["user", "admin"] as const) {
        const foreign = await send(named, tokens[role], ownersCredential);
        const missing = await send(named, tokens[role], NOBODYS_ID);
        assert.equal(foreign.status, 404, foreign.text);
        const { request_id: _a, ...foreignBody } = foreign.body as Record<string, unknown>;
        const { request_id: _b, ...missingBody } = missing.body as Record<string, unknown>;
        assert.deepEqual(foreignBody, missingBody);
        assert.ok(!foreign.text.includes("Owner's own"));
      }
    });
  }

  for (const named of withId) {
    test(`${named.name} answers 404 to an invalid id`, async () => {
      for (const id of ["1", "..%2f", "null", "'; drop table users; --"]) {
        const url = pathOf(named.endpoint.path, paramsOf(named, id));
        const reply = await app.http.inject({
          method: named.endpoint.method,
          url,
          headers: { authorization: `Bearer ${tokens.admin}`, "content-type": "application/json" },
          payload: JSON.stringify(sampleBody(named) ?? {}),
        });
        assert.equal(reply.statusCode, 404, reply.body);
      }
    });
  }
});

describe("a NUL never reaches the database", () => {
  const withNul = (value: unknown): unknown[] => {
    if (typeof value === "string") return [`${value}\0`];
    if (typeof value !== "object" || value === null) return [];
    const withOne = ([name, inner]: [string, unknown]) =>
      withNul(inner).map((each) =>
        Array.isArray(value) ? value.with(Number(name), each) : { ...value, [name]: each },
      );
    return Object.entries(value).flatMap(withOne);
  };
  for (const named of endpoints.filter(({ endpoint }) => endpoint.body !== undefined && endpoint.needs !== "public")) {
    test(`${named.name} refuses a NUL in every text of its body`, async () => {
      for (const body of withNul(sampleBody(named))) {
        const given = { params: paramsOf(named, NOBODYS_ID), body, as: tokens.admin } as Parameters<typeof app.call>[1];
        const reply = await app.call(named.endpoint, given);
        assert.equal(reply.status, 400, reply.text);
      }
    });
  }
});

describe("a NUL that appears only after decoding", () => {
  const ENCODED = [
    "%00",
    "a%00b",
    "https://a%00b.example.com/%00?x=%00",
    "postgresql://a%00b/c%00d",
    "AAA=",
    "WyIAIl0",
  ];
  const withEach = (value: unknown, text: string): unknown[] => {
    if (typeof value === "string") return [text];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, inner]) =>
      withEach(inner, text).map((each) =>
        Array.isArray(value) ? value.with(Number(name), each) : { ...value, [name]: each },
      ),
    );
  };
  const ended = /^(logout|endOtherSessions|seal)$/;
  for (const named of endpoints.filter(({ endpoint, name }) => endpoint.body !== undefined && !ended.test(name))) {
    test(`${named.name} never answers with a 5xx`, async () => {
      const person = named.endpoint.needs === "public" ? undefined : (await aPerson(app, "manager")).token;
      for (const body of ENCODED.flatMap((text) => withEach(sampleBody(named), text))) {
        const reply = await app.call(named.endpoint, { params: paramsOf(named, NOBODYS_ID), body, as: person });
        assert.ok(reply.status < 500, reply.text);
      }
    });
  }

  test("is refused in every part of a connection string of every type", async () => {
    const parts = [
      "db%00.example.com/main",
      "db/ma%00in",
      "u%00ser@db/main",
      "db/main?sslmode=%00",
      "db/main%1b",
      "db/%E2%80%AE",
    ];
    for (const type of ["postgresql", "mysql", "mssql", "oracle", "mongodb", "application"] as const) {
      for (const part of parts) {
        const fields = {
          name: "A name",
          value: "a secret value",
          database_name: "main",
          schema_name: "s",
          username: "app",
        };
        const body = { ...fields, type, connection_string: `${type}://${part}` };
        const reply = await app.call(createCredential, { body, as: tokens.user });
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.text, /"path":"connection_string"/);
      }
    }
  });

  test("is not stored in an address among the additional parameters", async () => {
    for (const name of ["check_url", "endpoint", "directory_server", "ca", "protocol"]) {
      for (const address of ["x://a%00b/", "https://a%00b.example.com", "a%00b"]) {
        for (const protocol of ["aws-iam", "ldap", "http-basic"]) {
          const additional_params = { protocol, [name]: address };
          const body = { name: "A name", type: "api_token", value: "a secret value", additional_params } as const;
          const reply = await app.call(createCredential, { body, as: tokens.user });
          assert.ok(reply.status < 500, reply.text);
          if (reply.status !== 201) continue;
          const verified = await app.call(verifyCredential, { params: { id: reply.body.id }, as: tokens.user });
          assert.ok(verified.status < 500, verified.text);
        }
      }
    }
  });
});

test("every endpoint of the contract is bound", async () => {
  for (const { endpoint } of endpoints) {
    for (const url of [endpoint.path, ...(endpoint.aliases ?? [])]) {
      assert.ok(app.http.hasRoute({ method: endpoint.method, url }), `${endpoint.method} ${url}`);
    }
  }
});
