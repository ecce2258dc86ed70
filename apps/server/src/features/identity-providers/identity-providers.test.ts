// Tests of managing identity providers, and that their secrets are never returned.
import {
  createIdentityProvider,
  deleteIdentityProvider,
  listIdentityProviders,
  listWaysIn,
  testIdentityProvider,
  updateIdentityProvider,
} from "@strongroom/contract";
import type { InputOf } from "@strongroom/contract";
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { aPerson, firstAdmin } from "#testing/people.ts";
import { testApp } from "#testing/test-app.ts";
import type { TestApp } from "#testing/test-app.ts";
import {
  groupsIn,
  namesInClaim,
  namesInDirectory,
  roleOf,
  assertsSecondFactor,
  isResponsibleFor,
} from "./identity-providers.policy.ts";
import { CLIENT_ID, CLIENT_SECRET, startOpenidProvider } from "./testing/openid-provider.ts";
import type { OpenidProvider } from "./testing/openid-provider.ts";

type Body = Extract<NonNullable<InputOf<typeof createIdentityProvider>["body"]>, { kind: "oidc" }>;

let app: TestApp;
let idp: OpenidProvider;
let admin: string;
before(async () => {
  app = await testApp({ config: { publicUrl: "https://strongroom.example" } });
  idp = await startOpenidProvider();
  admin = (await firstAdmin(app)).token;
});
after(async () => {
  await app.close();
  await idp.close();
});

let count = 0;
const aBody = (change: Partial<Body> = {}): Body => ({
  kind: "oidc",
  name: `Provider ${(count += 1)}`,
  is_enabled: true,
  creates_people: false,
  links_by_email: false,
  without_group: "user",
  role_mappings: [],
  domains: [],
  secret: CLIENT_SECRET,
  settings: { issuer: idp.issuer, client_id: CLIENT_ID },
  ...change,
});

async function made(change: Partial<Body> = {}) {
  const reply = await app.call(createIdentityProvider, { body: aBody(change), as: admin });
  assert.equal(reply.status, 201, reply.text);
  assert.ok(reply.body.kind === "oidc");
  return reply.body;
}

test("only administrators can list, create, change and delete providers; visitors who are not signed in see only the names", async () => {
  const { id, name, settings } = await made();
  const visitor = await app.call(listWaysIn);
  assert.deepEqual(visitor.body, { data: [{ id, name }], has_directory: false });
  for (const role of ["user", "manager"] as const) {
    const { token: as } = await aPerson(app, role);
    assert.equal((await app.call(listIdentityProviders, { as })).status, 403);
    assert.equal((await app.call(createIdentityProvider, { body: aBody(), as })).status, 403);
    assert.equal((await app.call(deleteIdentityProvider, { params: { id }, as })).status, 403);
  }
  const { secret: _kept, ...same } = { ...aBody({ name, is_enabled: false }), settings };
  const { scopes: _missing, ...incomplete } = settings;
  const partial = { ...same, settings: incomplete } as typeof same;
  const refused = await app.call(updateIdentityProvider, { params: { id }, body: partial, as: admin });
  assert.equal(refused.status, 400, refused.text);
  assert.match(refused.text, /"path":"settings\.scopes"/);
  assert.deepEqual((await app.call(listWaysIn)).body.data, [{ id, name }]);
  const changed = await app.call(updateIdentityProvider, { params: { id }, body: same, as: admin });
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual([changed.body.is_enabled, changed.body.has_secret], [false, true]);
  assert.deepEqual((await app.call(listWaysIn)).body.data, []);
  assert.equal((await app.call(deleteIdentityProvider, { params: { id }, as: admin })).status, 200);
  assert.deepEqual((await app.call(listIdentityProviders, { as: admin })).body.data, []);
});

test("a provider's secret is sealed and appears in no reply, audit entry or log line", async () => {
  const { id } = await made();
  await app.call(testIdentityProvider, { params: { id }, body: {}, as: admin });
  const { text } = await app.call(listIdentityProviders, { as: admin });
  assert.ok(!text.includes(CLIENT_SECRET));
  const { rows } = await app.database.pool.query<{ whole: string }>(
    "select row_to_json(identity_providers)::text as whole from identity_providers union all select convert_from(canonical, 'UTF8') from audit_entries",
  );
  const hex = Buffer.from(CLIENT_SECRET).toString("hex");
  for (const { whole } of rows) assert.ok(!whole.includes(CLIENT_SECRET) && !whole.includes(hex));
  assert.ok(!app.logLines.some((line) => line.includes(CLIENT_SECRET)));
  await app.call(deleteIdentityProvider, { params: { id }, as: admin });
});

test("a stored secret must be entered again before it is sent to a different issuer or for a different client", async () => {
  const { id, name, settings } = await made();
  const { secret, ...same } = { ...aBody({ name }), settings };
  const moves = [{ issuer: "https://evil.example" }, { client_id: "another" }];
  for (const move of moves) {
    const body = { ...same, settings: { ...same.settings, ...move } };
    const refused = await app.call(updateIdentityProvider, { params: { id }, body, as: admin });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.text, /"path":"secret"/);
    const entered = await app.call(updateIdentityProvider, { params: { id }, body: { ...body, secret }, as: admin });
    assert.equal(entered.status, 200, entered.text);
    const back = await app.call(updateIdentityProvider, { params: { id }, body: { ...same, secret }, as: admin });
    assert.equal(back.status, 200, back.text);
  }
  await app.call(deleteIdentityProvider, { params: { id }, as: admin });
});

test("invalid or unusable settings are refused with the name of the field", async () => {
  const { name } = await made({ name: "Taken" });
  const wrong: [Partial<Body>, string][] = [
    [{ name: name.toUpperCase() }, "name"],
    [{ without_group: "refuse" }, "without_group"],
    [
      {
        role_mappings: [
          { group: "a", role: "user" },
          { group: "a", role: "admin" },
        ],
      },
      "role_mappings",
    ],
    [{ settings: { issuer: "http://login.example.com", client_id: "x" } }, "settings.issuer"],
    [{ settings: { issuer: idp.issuer, client_id: "x", scopes: "profile" } }, "settings.scopes"],
    [{ settings: { issuer: idp.issuer, client_id: "x", ca: "no certificate" } }, "settings.ca"],
    [{ domains: ["not a domain"] }, "domains.0"],
  ];
  for (const [change, path] of wrong) {
    const reply = await app.call(createIdentityProvider, { body: { ...aBody(), ...change }, as: admin });
    assert.ok(reply.status === 400 || reply.status === 409, reply.text);
    assert.ok(reply.text.includes(`"path":"${path}`), reply.text);
  }
});

describe("testing a provider", () => {
  const ask = async (change: Partial<Body>) => {
    const { id } = await made(change);
    const reply = await app.call(testIdentityProvider, { params: { id }, body: {}, as: admin });
    assert.equal(reply.status, 200, reply.text);
    return { id, ...reply.body };
  };

  test("reports that the provider answers and accepts the client, and which redirect address to register", async () => {
    const { id } = await made();
    idp.serve([`https://strongroom.example/auth/callback/${id}`]);
    const reply = await app.call(testIdentityProvider, { params: { id }, body: {}, as: admin });
    assert.equal(reply.body.is_good, true, reply.text);
    assert.match(reply.body.steps[0]!.text, /answers, and signs with/);
    assert.ok(!reply.body.steps[0]!.text.includes("HS256"));
    assert.ok(reply.body.steps[1]!.text.includes(`https://strongroom.example/auth/callback/${id}`));
  });

  test("reports a wrong secret, a host that does not answer, and an address without a provider", async () => {
    const wrongSecret = await ask({ secret: "another secret" });
    assert.match(wrongSecret.steps.at(-1)!.text, /rejected the stored client ID or client secret/);
    const nobody = await ask({ settings: { issuer: "http://127.0.0.1:9", client_id: "x" } });
    assert.match(nobody.steps[0]!.text, /refused the connection/);
    const metadata = await ask({ settings: { issuer: "https://169.254.169.254", client_id: "x" } });
    assert.match(metadata.steps[0]!.text, /Nothing was sent to it/);
    const page = createServer((_, response) => response.setHeader("content-type", "text/html").end("<h1>Hello</h1>"));
    await new Promise<void>((listening) => void page.listen(0, "127.0.0.1", listening));
    const issuer = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    const html = await ask({ settings: { issuer, client_id: "x" } });
    assert.match(html.steps[0]!.text, /not an OpenID Connect provider/);
    page.close();
    const elsewhere = await ask({ settings: { issuer: idp.issuer.replace("127.0.0.1", "localhost"), client_id: "x" } });
    assert.match(elsewhere.steps[0]!.text, /does not match the provider.s issuer/);
  });
});

describe("the rules for trusting a provider", () => {
  const role_mappings = [
    { group: "ops", role: "manager" as const },
    { group: "cn=Admins, ou=Groups,dc=corp", role: "admin" as const },
  ];

  test("give the highest mapped role, keep the role if there are no mappings, and follow the setting for users without a mapped group", () => {
    assert.equal(roleOf(namesInClaim(["ops", "x"]), { role_mappings, without_group: "refuse" }), "manager");
    assert.equal(roleOf([], { role_mappings, without_group: "refuse" }), null);
    assert.equal(roleOf([], { role_mappings, without_group: "user" }), "user");
    assert.equal(roleOf(namesInClaim(["ops"]), { role_mappings: [], without_group: "user" }), "keep");
  });

  test("ignore a group whose name imitates another group's distinguished name", () => {
    const real = namesInDirectory([{ dn: "CN=admins,OU=groups,DC=corp", name: "admins" }]);
    assert.equal(roleOf(real, { role_mappings, without_group: "refuse" }), "admin");
    const fake = namesInDirectory([{ dn: "cn=x,ou=own,dc=corp", name: "cn=admins,ou=groups,dc=corp" }]);
    assert.equal(roleOf(fake, { role_mappings, without_group: "refuse" }), null);
  });

  test("read groups at the claim's path and ignore inherited properties", () => {
    assert.deepEqual(groupsIn({ realm_access: { roles: ["a"] } }, "realm_access.roles"), ["a"]);
    assert.deepEqual(groupsIn({ "https://corp.example/groups": "a" }, "https://corp.example/groups"), ["a"]);
    assert.deepEqual(groupsIn({}, "constructor.name"), []);
    assert.equal(groupsIn({ groups: [{ name: "a" }] }, "groups"), null);
  });

  test("accept a second factor only by the configured values", () => {
    assert.equal(assertsSecondFactor({ amr: ["pwd", "mfa"] }, ["mfa"]), true);
    assert.equal(assertsSecondFactor({ amr: ["pwd", "mfa"] }, []), false);
    assert.equal(assertsSecondFactor({ acr: "urn:strong" }, ["urn:strong"]), true);
    assert.equal(assertsSecondFactor({ amr: "mfa" }, ["mfa"]), false);
  });

  test("limit a provider to its domains", () => {
    assert.equal(isResponsibleFor(["corp.example"], "ann@corp.example"), true);
    assert.equal(isResponsibleFor(["corp.example"], "ann@evil-corp.example"), false);
    assert.equal(isResponsibleFor(["corp.example"], "ann@corp.example@evil.example"), false);
    assert.equal(isResponsibleFor([], "ann@anywhere.example"), true);
  });
});
