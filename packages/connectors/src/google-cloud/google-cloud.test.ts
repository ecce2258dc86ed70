// Tests keys of Google Cloud's service accounts against a fake that checks signatures. The comment at the top of the
// fake says what these tests do not prove.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import { assertChange } from "../../testing/capabilities.ts";
import { opensslAvailable } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { startFakeGoogleCloud, type FakeGoogleCloud } from "../../testing/targets/fake-google-cloud.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { IssueResult, Target } from "../connector.ts";
import { secretTexts } from "../private-key/json-secret.ts";
import { googleCloud } from "./google-cloud.ts";

type Place = Pick<FakeGoogleCloud, "host" | "port" | "ca">;

const at = ({ host, port, ca }: Place, username: string | null, more: object = {}): Partial<Target> => ({
  type: "application",
  username,
  additionalParams: { protocol: "google-cloud", endpoint: `https://${host}:${port}`, ca, ...more },
});
const aName = () => `robot-${randomBytes(4).toString("hex")}`;
const withFields = (secret: string, fields: object) => JSON.stringify({ ...(JSON.parse(secret) as object), ...fields });

async function rows(): Promise<Rows> {
  const fake = await startFakeGoogleCloud();
  const { email, secret } = fake.addServiceAccount("deployer");
  const other = fake.addServiceAccount("admin");
  const off = fake.addServiceAccount("disabled");
  fake.disableKey(off.keyId);
  fake.bindings.push({ role: "roles/owner", members: [`serviceAccount:${other.email}`, "user:Ada@corp.example"] });
  const { private_key } = JSON.parse(other.secret) as { private_key: string };
  return {
    good: { target: at(fake, email), secret, expect: VERIFIED },
    wrong: { target: at(fake, email), secret: withFields(secret, { private_key }), expect: WRONG_PASSWORD },
    locked: {
      target: at(fake, off.email),
      secret: off.secret,
      expect: WRONG_PASSWORD,
      note: "Google answers the same for a disabled key and a deleted one",
    },
    expired: {
      target: at(fake, off.email),
      secret: off.secret,
      expect: WRONG_PASSWORD,
      note: "Google answers the same for an expired key and a deleted one",
    },
    encryption: [
      {
        name: "unknown issuer",
        target: at(fake, email, { ca: undefined }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "unknown-issuer" },
      },
      {
        name: "other name",
        target: at(fake, email, { servername: "google.example" }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "name-mismatch" },
      },
      ...["http://127.0.0.1", "ftp://x", "https://a:b@c", 7].map((endpoint) => ({
        name: `an endpoint that is not https: ${endpoint}`,
        target: at(fake, email, { endpoint }),
        secret,
        expect: { outcome: "misconfigured", code: "bad-input" } as const,
      })),
    ],
    elsewhere: (host, port) => at({ host, port, ca: fake.ca }, email),
    lists: {
      target: at(fake, email),
      secret,
      elsewhere: (host, port) => at({ host, port, ca: fake.ca }, email),
      expect: [
        { name: email, isPrivileged: false, isLocked: false },
        { name: other.email, isPrivileged: true },
        { name: "Ada@corp.example", isPrivileged: true },
      ],
    },
    stop: () => fake.stop(),
  };
}

connectorSuite({ connector: googleCloud, needs: needs(opensslAvailable()), start: rows });

describe("Google Cloud: service account keys", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let fake: FakeGoogleCloud;
  before(async () => {
    fake = await startFakeGoogleCloud();
  });
  after(() => fake?.stop());

  function anAccount() {
    const account = fake.addServiceAccount(aName());
    return { ...account, target: at(fake, account.email) };
  }
  const issue = (target: Partial<Target>, secret: string): Promise<IssueResult> =>
    withoutLeak(secretTexts(secret), () =>
      googleCloud.issue!(aTarget(target), Secret.fromText(secret), aContext({ timeoutMs: 5_000 })),
    );
  const retire = (target: Partial<Target>, current: string, retired: string) =>
    withoutLeak([...secretTexts(current), ...secretTexts(retired)], () =>
      googleCloud.retire!(aTarget(target), Secret.fromText(current), Secret.fromText(retired), aContext()),
    );

  test("adds a second key while the first still works, and deletes the first, even when repeated", async () => {
    const { email, secret, keyId, target } = anAccount();
    const issued = await issue(target, secret);
    assert.ok(issued.outcome === "issued", issued.message);
    assert.deepEqual(issued.facts?.["isUsable"], true);
    const made = issued.secret.reveal();
    for (const each of [secret, made]) assertResult(await tryOut(googleCloud, { target, secret: each }), VERIFIED);
    assert.notEqual((await retire(target, made, made)).outcome, "changed", "the key in use is never deleted");
    assertChange(await retire(target, made, secret), { outcome: "changed" });
    assertChange(await retire(target, made, secret), { outcome: "changed" });
    assertResult(await tryOut(googleCloud, { target, secret }), WRONG_PASSWORD);
    assert.deepEqual(
      fake.keysOf(email).map(({ id }) => id === keyId),
      [false],
    );
  });

  test("keeps a new key that does not work immediately, and waits until it does", async () => {
    const { secret, target } = anAccount();
    fake.refusalsOfNew = 1;
    const result = await issue(target, secret);
    fake.refusalsOfNew = 0;
    assert.ok(result.outcome === "issued", result.message);
    assert.deepEqual([result.facts?.["isUsable"], fake.lastRefusals()], [true, 0]);
  });

  test("refuses to delete a key of another account, and an eleventh key", async () => {
    const [one, other] = [anAccount(), anAccount()];
    assertChange(await retire(one.target, one.secret, other.secret), { outcome: "unsent", code: "name-mismatch" });
    assert.equal(fake.keysOf(other.email).length, 1);
    while (fake.keysOf(one.email).length < 10) fake.addKey(one.email);
    const result = await issue(one.target, one.secret);
    assert.deepEqual([result.outcome, "code" in result && result.code], ["refused", "limit-reached"]);
  });

  test("reports an error of Google as refused, and an unclear answer as unknown", async () => {
    const { email, secret, target } = anAccount();
    const plan = (code: number, status: string) =>
      fake.answerOnce(/^POST .*\/keys$/, { status: code, body: { error: { code, status, message: "no" } } });
    const outcomeOf = async () => {
      const result = await issue(target, secret);
      return [result.outcome, "code" in result ? result.code : undefined];
    };
    plan(403, "PERMISSION_DENIED");
    assert.deepEqual(await outcomeOf(), ["refused", "no-permission"]);
    plan(429, "RESOURCE_EXHAUSTED");
    assert.deepEqual(await outcomeOf(), ["unsent", undefined]);
    assert.equal(fake.keysOf(email).length, 1);
    plan(500, "INTERNAL");
    assert.deepEqual(await outcomeOf(), ["unknown", undefined]);
    fake.answerOnce(/^POST .*\/keys$/, null);
    assert.deepEqual(await outcomeOf(), ["unknown", undefined]);
    fake.answerOnce(/^GET .*\/keys$/, null);
    assert.deepEqual(await outcomeOf(), ["unsent", undefined]);
  });

  test("names keys that are newer than the stored one, which may come from a lost answer", async () => {
    const { email, secret, target } = anAccount();
    const lost = fake.addKey(email);
    const result = await issue(target, secret);
    assert.ok(result.outcome === "issued", result.message);
    assert.match(result.message, new RegExp(`newer keys than the stored one: ${lost}\\.`));
  });

  test("a wrong key adds nothing, and a key of another account is reported", async () => {
    const { email, secret, target } = anAccount();
    const { private_key } = JSON.parse(anAccount().secret) as { private_key: string };
    assert.equal((await issue(target, withFields(secret, { private_key }))).outcome, "unsent");
    assert.equal(fake.keysOf(email).length, 1);
    const others = await tryOut(googleCloud, { target: at(fake, "somebody@else.example"), secret });
    assertResult(others, { outcome: "misconfigured", code: "name-mismatch" });
  });

  test("sends nothing for a secret that is not a key file, and nothing to the addresses in one", async () => {
    const { secret, target } = anAccount();
    const before = fake.requests.length;
    for (const bad of [
      "a-password-of-mine",
      '{"type":"service_account"}',
      "[]",
      withFields(secret, { private_key: "-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----" }),
      withFields(secret, { client_email: "a b" }),
    ])
      assertResult(await tryOut(googleCloud, { target, secret: bad }), {
        outcome: "misconfigured",
        code: "bad-input",
      });
    assert.equal(fake.requests.length, before);
    const moved = withFields(secret, { token_uri: "https://evil.example/token", auth_uri: "https://evil.example" });
    assertResult(await tryOut(googleCloud, { target, secret: moved }), VERIFIED);
  });
});

describe("Google Cloud: listing projects", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let fake: FakeGoogleCloud;
  let secret: string;
  before(async () => {
    fake = await startFakeGoogleCloud();
    secret = fake.addServiceAccount("scanner").secret;
  });
  after(() => fake?.stop());

  async function list() {
    const context = aContext({ timeoutMs: 10_000 });
    const result = await withoutLeak(secretTexts(secret), () =>
      googleCloud.listAccounts!(aTarget(at(fake, null)), Secret.fromText(secret), context),
    );
    assert.ok(result.outcome === "listed", result.message);
    return result;
  }

  test("lists service accounts with their keys, users with roles, and what makes them privileged", async () => {
    const { email, keyId } = fake.addServiceAccount("pipeline");
    const unused = fake.addKey(email);
    fake.disableKey(unused);
    fake.addServiceAccount("reader");
    fake.bindings.push(
      { role: "roles/owner", members: ["user:Ada@corp.example", "group:admins@corp.example"] },
      { role: "roles/viewer", members: ["user:bob@corp.example", "serviceAccount:agent@other.example"] },
      { role: "roles/editor", members: [`serviceAccount:${email}`] },
      { role: "roles/iam.securityAdmin", members: [`serviceAccount:${email}`], condition: { title: "until May" } },
    );
    const result = await list();
    const shown = result.accounts.map(({ name, privileges }) => [
      name.split("@")[0],
      ...(privileges ?? []).map(({ kind, path }) => `${kind}: ${path.join()}`),
    ]);
    assert.deepEqual(shown, [
      ["scanner"],
      [
        "pipeline",
        "escalation: iam.securityAdmin of strongroom-test, under a condition",
        "impersonation: editor of strongroom-test",
      ],
      ["reader"],
      ["Ada", "cloud-admin: owner of strongroom-test"],
      ["bob"],
    ]);
    const keys = result.accounts.find(({ name }) => name === email)?.facts["accessKeys"];
    const lastUsedAt = "2026-11-01T00:00:00.000Z";
    assert.deepEqual(keys, [
      { id: keyId, isActive: true, rotatedAt: "2026-02-03T04:05:07.000Z", lastUsedAt },
      { id: unused, isActive: false, rotatedAt: "2026-02-03T04:05:08.000Z", lastUsedAt },
    ]);
    assert.deepEqual(
      result.commands?.filter(({ success }) => !success),
      [],
    );
    assert.ok(!fake.requests.some((each) => each.includes("deleted-project")));
  });

  test("lists keys, roles with their members, and the names of secrets", async () => {
    fake.secrets.push("database", "mail", "queue");
    const { cloud } = (await list()).collected!;
    assert.deepEqual([cloud?.provider, cloud?.account], ["gcp", fake.project]);
    const found = cloud!.resources.map(({ kind, region, name }) => `${kind} ${region} ${name}`);
    for (const each of [
      "iam_user global Ada@corp.example",
      "service_account global pipeline@strongroom-test.iam.gserviceaccount.com",
      "iam_role global strongroom-test: roles/iam.securityAdmin (conditional)",
      "secret global strongroom-test/database",
      "secret global strongroom-test/queue",
    ])
      assert.ok(found.includes(each), each);
    assert.equal(found.filter((each) => /^access_key global pipeline@.*, key [0-9a-f]{40}$/.test(each)).length, 2);
    assert.deepEqual(
      cloud!.complete.map(({ kind }) => kind),
      ["iam_user", "service_account", "access_key", "iam_role", "secret"],
    );
    assert.ok(!fake.requests.some((each) => each.includes("versions")), "no value is asked for");
  });

  test("a list without permission is a failed command and incomplete; without permission for any, the login is rejected", async () => {
    fake.denied.add(":getIamPolicy").add("/keys");
    const result = await list();
    assert.match(result.message, /may not see the roles of a project/);
    assert.equal(result.isComplete, false, "users that it lacks are not deleted");
    assert.deepEqual(
      result.collected?.cloud?.complete.map(({ kind }) => kind),
      ["service_account", "secret"],
    );
    assert.match(result.commands?.find(({ command }) => command.includes("keys of the"))?.error ?? "", /3 service/);
    fake.denied.clear();
    fake.denied.add("projects:search");
    const own = await list();
    assert.deepEqual([own.isComplete, own.collected?.cloud?.complete], [false, []], "other projects may exist");
    fake.denied.add(":getIamPolicy").add("/serviceAccounts");
    const refused = await googleCloud.listAccounts!(aTarget(at(fake, null)), Secret.fromText(secret), aContext());
    fake.denied.clear();
    assert.deepEqual([refused.outcome, "code" in refused && refused.code], ["rejected", "no-permission"]);
  });
});
