// Tests client secrets of Azure against a fake. The comment at the top of the fake says what these tests do not prove.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Secret } from "@strongroom/keys";
import { assertChange } from "../../testing/capabilities.ts";
import { opensslAvailable } from "../../testing/certificates.ts";
import { aContext, aTarget } from "../../testing/factories.ts";
import { withoutLeak } from "../../testing/leak-watch.ts";
import { assertResult, connectorSuite, tryOut, type Rows } from "../../testing/suite.ts";
import { needs } from "../../testing/targets/availability.ts";
import { AZURE_ROLES, AZURE_SUBSCRIPTION, startFakeAzure, type FakeAzure } from "../../testing/targets/fake-azure.ts";
import { VERIFIED, WRONG_PASSWORD } from "../../testing/trials.ts";
import type { IssueResult, Target } from "../connector.ts";
import { azure } from "./azure.ts";
import { vaultOrigin, type AzureAccess } from "./azure-access.ts";

type Place = Pick<FakeAzure, "host" | "port" | "ca" | "tenant">;

const at = ({ host, port, ca, tenant }: Place, username: string | null, more: object = {}): Partial<Target> => ({
  type: "application",
  username,
  additionalParams: { protocol: "azure", tenant, endpoint: `https://${host}:${port}`, ca, ...more },
});

async function rows(): Promise<Rows> {
  const fake = await startFakeAzure();
  const application = fake.addApplication("deployer");
  const disabled = fake.addApplication("disabled");
  disabled.isEnabled = false;
  const expired = fake.addApplication("expired");
  expired.secrets[0]!.isExpired = true;
  const admin = fake.addUser("ada@corp.example");
  fake.assignRole(admin.id, AZURE_ROLES.globalAdministrator);
  const secret = application.secrets[0]!.text;
  const target = at(fake, application.clientId);
  const badInput = { outcome: "misconfigured", code: "bad-input" } as const;
  return {
    good: { target, secret, expect: VERIFIED },
    wrong: { target, secret: randomBytes(30).toString("base64url"), expect: WRONG_PASSWORD },
    locked: {
      target: at(fake, disabled.clientId),
      secret: disabled.secrets[0]!.text,
      expect: { outcome: "rejected", code: "account-locked" },
    },
    expired: {
      target: at(fake, expired.clientId),
      secret: expired.secrets[0]!.text,
      expect: { outcome: "rejected", code: "password-expired" },
    },
    encryption: [
      {
        name: "unknown issuer",
        target: at(fake, application.clientId, { ca: undefined }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "unknown-issuer" },
      },
      {
        name: "other name",
        target: at(fake, application.clientId, { servername: "azure.example" }),
        secret,
        expect: { outcome: "misconfigured", code: "tls-failure", reason: "name-mismatch" },
      },
      ...["http://127.0.0.1", "ftp://x", "https://a:b@c", 7].map((endpoint) => ({
        name: `an endpoint that is not https: ${endpoint}`,
        target: at(fake, application.clientId, { endpoint }),
        secret,
        expect: badInput,
      })),
    ],
    elsewhere: (host, port) => at({ ...fake, host, port }, application.clientId),
    lists: {
      target,
      secret,
      elsewhere: (host, port) => at({ ...fake, host, port }, application.clientId),
      expect: [
        { name: "ada@corp.example", isPrivileged: true, isLocked: false },
        { name: `deployer (${application.clientId})`, isPrivileged: false },
        { name: `disabled (${disabled.clientId})`, isLocked: true },
      ],
    },
    stop: () => fake.stop(),
  };
}

connectorSuite({ connector: azure, needs: needs(opensslAvailable()), start: rows });

describe("Azure: client secrets", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let fake: FakeAzure;
  before(async () => {
    fake = await startFakeAzure();
  });
  after(() => fake?.stop());

  function anApplication() {
    const application = fake.addApplication(`app-${randomBytes(4).toString("hex")}`);
    const secret = application.secrets[0]!.text;
    return { application, secret, target: at(fake, application.clientId) };
  }
  const issue = (target: Partial<Target>, secret: string): Promise<IssueResult> =>
    withoutLeak([secret], () => azure.issue!(aTarget(target), Secret.fromText(secret), aContext({ timeoutMs: 5_000 })));
  const retire = (target: Partial<Target>, current: string, retired: string) =>
    withoutLeak([current, retired], () =>
      azure.retire!(aTarget(target), Secret.fromText(current), Secret.fromText(retired), aContext()),
    );

  test("adds a second secret while the first still works, and removes the first, even when repeated", async () => {
    const { application, secret, target } = anApplication();
    const issued = await issue(target, secret);
    assert.ok(issued.outcome === "issued", issued.message);
    const made = issued.secret.reveal();
    assert.ok(!JSON.stringify(issued).includes(made));
    for (const each of [secret, made]) assertResult(await tryOut(azure, { target, secret: each }), VERIFIED);
    assert.notEqual((await retire(target, made, made)).outcome, "changed", "the secret in use is never removed");
    assertChange(await retire(target, made, secret), { outcome: "changed" });
    assertChange(await retire(target, made, secret), { outcome: "changed" });
    assertResult(await tryOut(azure, { target, secret }), WRONG_PASSWORD);
    assert.deepEqual(
      application.secrets.map(({ text }) => text),
      [made],
    );
  });

  test("removes nothing when two secrets begin like the old one", async () => {
    const { application, secret, target } = anApplication();
    const issued = await issue(target, secret);
    const made = issued.outcome === "issued" ? issued.secret.reveal() : "";
    application.secrets.push({ keyId: randomUUID(), text: `${secret.slice(0, 3)}other`, isExpired: false });
    assertChange(await retire(target, made, secret), { outcome: "refused", code: "not-changeable" });
    assert.equal(application.secrets.length, 3);
  });

  test("reports an error of Microsoft as refused, and an unclear answer as unknown", async () => {
    const { application, secret, target } = anApplication();
    const plan = (status: number, code: string) =>
      fake.answerOnce(/addPassword$/, { status, body: { error: { code, message: "no" } } });
    const outcomeOf = async () => {
      const result = await issue(target, secret);
      return [result.outcome, "code" in result ? result.code : undefined];
    };
    plan(403, "Authorization_RequestDenied");
    assert.deepEqual(await outcomeOf(), ["refused", "no-permission"]);
    plan(400, "CredentialLimitExceeded");
    assert.deepEqual(await outcomeOf(), ["refused", "limit-reached"]);
    plan(400, "CredentialTypeNotAllowedAsPerAppPolicy");
    assert.deepEqual(await outcomeOf(), ["refused", "not-changeable"]);
    plan(429, "TooManyRequests");
    assert.deepEqual(await outcomeOf(), ["unsent", undefined]);
    assert.equal(application.secrets.length, 1);
    plan(500, "InternalServerError");
    assert.deepEqual(await outcomeOf(), ["unknown", undefined]);
    fake.answerOnce(/addPassword$/, null);
    assert.deepEqual(await outcomeOf(), ["unknown", undefined]);
    // Entra ID added a secret and its answer was lost: another attempt must not add a third one.
    const again = await issue(target, secret);
    assert.deepEqual([again.outcome, "code" in again && again.code], ["refused", "not-changeable"]);
    const lost = application.secrets.at(-1);
    assert.match(again.message, new RegExp(`client secret ${lost?.keyId} from an earlier rotation`));
    assert.equal(application.secrets.length, 2);
    application.secrets.pop();
    assert.equal((await issue(target, secret)).outcome, "issued");
  });

  test("keeps a new secret that does not work immediately, and waits until it does", async () => {
    const { secret, target } = anApplication();
    fake.refusalsOfNew = 1;
    const result = await issue(target, secret);
    fake.refusalsOfNew = 0;
    assert.ok(result.outcome === "issued", result.message);
    assert.deepEqual([result.facts?.["isUsable"], fake.lastRefusals()], [true, 0]);
  });

  test("a wrong secret adds nothing, and an unknown application or tenant is named", async () => {
    const { application, secret, target } = anApplication();
    assert.equal((await issue(target, "not-the-secret-of-it")).outcome, "unsent");
    assert.equal(application.secrets.length, 1);
    assertResult(await tryOut(azure, { target: at(fake, randomUUID()), secret }), WRONG_PASSWORD);
    const elsewhere = { ...fake, tenant: "other.example" };
    const foreign = await tryOut(azure, { target: at(elsewhere, application.clientId), secret });
    assertResult(foreign, { outcome: "misconfigured", code: "bad-input" });
    assert.match(foreign.message, /tenant other\.example/);
  });

  test("sends nothing without a client ID, a tenant and a client secret", async () => {
    const { application, secret } = anApplication();
    const before = fake.requests.length;
    for (const [username, more, value] of [
      ["deployer", {}, secret],
      [null, {}, secret],
      [application.clientId, { tenant: "../common" }, secret],
      [application.clientId, { tenant: undefined }, secret],
      [application.clientId, { cloud: "moon" }, secret],
      [application.clientId, {}, "4-bytes"],
    ] as const)
      assertResult(await tryOut(azure, { target: at(fake, username, more), secret: value }), {
        outcome: "misconfigured",
        code: "bad-input",
      });
    assert.equal(fake.requests.length, before);
  });

  test("tokens for key vaults go only to key vaults of the cloud", () => {
    const access = { vault: "https://vault.azure.net", vaultDomain: ".vault.azure.net" } as AzureAccess;
    assert.equal(vaultOrigin(access, "https://app.vault.azure.net/"), "https://app.vault.azure.net");
    for (const address of [
      "https://vault.azure.net.evil.example/",
      "https://app.vault.azure.net:8443/",
      "http://app.vault.azure.net/",
      "https://app.vault.azure.net@evil.example/",
      "https://evil.example/app.vault.azure.net",
      7,
    ])
      assert.equal(vaultOrigin(access, address), null, String(address));
  });
});

describe("Azure: listing a tenant", { ...needs(opensslAvailable()), concurrency: 1 }, () => {
  let fake: FakeAzure;
  let secret: string;
  let target: Partial<Target>;
  before(async () => {
    fake = await startFakeAzure();
    const scanner = fake.addApplication("scanner");
    secret = scanner.secrets[0]!.text;
    target = at(fake, scanner.clientId);
  });
  after(() => fake?.stop());

  async function list() {
    const context = aContext({ timeoutMs: 10_000 });
    const result = await withoutLeak([secret], () =>
      azure.listAccounts!(aTarget(target), Secret.fromText(secret), context),
    );
    assert.ok(result.outcome === "listed", result.message);
    return result;
  }
  const pathsOf = (result: Awaited<ReturnType<typeof list>>, name: string) =>
    result.accounts
      .find((account) => account.name.startsWith(name))
      ?.privileges?.map(({ kind, path }) => [kind, ...path]);

  test("lists users and applications over several pages, and says by which roles they are privileged", async () => {
    const [ada, bob, carol] = ["ada", "bob", "carol"].map((name) => fake.addUser(`${name}@corp.example`));
    const pipeline = fake.addApplication("pipeline");
    const robot = fake.addApplication("robot");
    carol!.isEnabled = false;
    fake.assignRole(ada!.id, AZURE_ROLES.globalAdministrator);
    fake.assignRole(bob!.id, AZURE_ROLES.directoryReaders);
    fake.assignRole(bob!.id, AZURE_ROLES.globalAdministrator, "/administrativeUnits/1");
    fake.assignRole(
      fake.addGroup("Platform team", [carol!.id, robot.principalId]),
      AZURE_ROLES.applicationAdministrator,
    );
    fake.permissions.push({ principalId: pipeline.principalId, appRoleId: "9e3f62cf-ca93-4989-b6ce-bf83c28f9fe8" });
    const scope = `/subscriptions/${AZURE_SUBSCRIPTION}`;
    fake.subscriptionRoles.push(
      { principalId: pipeline.principalId, roleId: AZURE_ROLES.owner, scope },
      { principalId: bob!.id, roleId: AZURE_ROLES.owner, scope: `${scope}/resourceGroups/test` },
      { principalId: bob!.id, roleId: AZURE_ROLES.reader, scope },
    );
    const result = await list();
    assert.deepEqual(pathsOf(result, "ada"), [["cloud-admin", "Global Administrator"]]);
    assert.deepEqual(pathsOf(result, "bob"), [], "a reader, and an administrator of parts only");
    assert.deepEqual(pathsOf(result, "carol"), [["escalation", "Platform team", "Application Administrator"]]);
    assert.deepEqual(pathsOf(result, "robot"), [["escalation", "Platform team", "Application Administrator"]]);
    assert.deepEqual(pathsOf(result, "pipeline"), [
      ["cloud-admin", "Owner of the subscription Production"],
      ["escalation", "RoleManagement.ReadWrite.Directory"],
    ]);
    assert.equal(result.accounts.find(({ name }) => name === carol!.name)?.isLocked, true);
    const user = result.accounts.find(({ name }) => name === ada!.name);
    assert.equal(user?.lastLoginAt, "2026-11-01T00:00:00.000Z");
    assert.equal(user.passwordChangedAt, "2026-02-03T04:05:06.000Z");
    const application = result.accounts.find(({ name }) => name.startsWith("pipeline"));
    assert.deepEqual([application?.login, application?.expiresAt], [pipeline.clientId, "2028-02-03T04:05:06.000Z"]);
    assert.deepEqual(
      result.commands?.filter(({ success }) => !success),
      [],
    );
  });

  test("lists applications, their secrets, privileged roles, and the names of secrets in key vaults", async () => {
    fake.vaults.set("shop", {
      uri: `https://${fake.host}:${fake.port}/`,
      location: "westeurope",
      secrets: ["database", "mail", "queue"],
    });
    fake.vaults.set("foreign", { uri: "https://evil.example/", location: "northeurope", secrets: ["stolen"] });
    const { cloud } = (await list()).collected!;
    assert.deepEqual([cloud?.provider, cloud?.account], ["azure", fake.tenant]);
    const found = cloud!.resources.map(({ kind, region, name }) => `${kind} ${region} ${name}`);
    for (const each of [
      "iam_user global ada@corp.example",
      "iam_role global Global Administrator",
      "secret westeurope shop/database",
      "secret westeurope shop/queue",
    ])
      assert.ok(found.includes(each), `${each} of ${found.join("\n")}`);
    assert.equal(
      found.filter((each) => /^access_key global pipeline .*, client secret [0-9a-f-]{36}$/.test(each)).length,
      1,
    );
    const role = cloud!.resources.find(({ name }) => name === "Application Administrator");
    assert.deepEqual(role?.facts, { members: ["group Platform team"] });
    assert.deepEqual(
      cloud!.complete.filter(({ kind }) => kind === "secret"),
      [{ kind: "secret", region: "westeurope" }],
      "a vault that may not be asked is not complete",
    );
    const key = cloud!.resources.find(({ name }) => name === "shop/mail");
    assert.deepEqual(key?.facts, {
      isEnabled: true,
      createdAt: "2025-10-09T08:53:20.000Z",
      changedAt: "2025-11-24T16:00:00.000Z",
      expiresAt: null,
    });
  });

  test("a list without permission is a failed command; without permission for any, the login is rejected", async () => {
    fake.denied.add("/v1.0/roleManagement").add("/subscriptions");
    const result = await list();
    assert.match(result.message, /may not see all roles/);
    assert.equal(result.isComplete, false, "foreign applications with roles may exist");
    const failed = result.commands?.filter(({ success }) => !success).map(({ command }) => command);
    assert.deepEqual(failed, [
      "graph: directory roles",
      "graph: assignments of directory roles",
      "management: subscriptions",
    ]);
    fake.denied.add("/v1.0/users").add("/v1.0/applications");
    const refused = await azure.listAccounts!(aTarget(target), Secret.fromText(secret), aContext());
    fake.denied.clear();
    assert.deepEqual([refused.outcome, "code" in refused && refused.code], ["rejected", "no-permission"]);
  });

  test("waits as long as Microsoft asks; a page elsewhere or an answer without a list is a failed command", async () => {
    fake.answerOnce(/users$/, { status: 429, headers: { "retry-after": "1" }, body: {} });
    const names = (await list()).accounts.map(({ name }) => name);
    assert.ok(names.includes("ada@corp.example"));
    const link = "https://evil.example/v1.0/users";
    const notLists = [{ value: [], "@odata.nextLink": link }, {}, { value: "none" }];
    for (const body of notLists) {
      fake.answerOnce(/users$/, { body });
      const { isComplete, collected, commands } = await list();
      assert.ok(!collected?.cloud?.complete.some(({ kind }) => kind === "iam_user"));
      assert.equal(isComplete, false, "users that it lacks are not deleted");
      assert.equal(commands?.find(({ command }) => command === "graph: users")?.success, false);
    }
  });
});
