// Tests of discovery in Azure and Google Cloud through the calls, against fakes.
import {
  approveDiscoveredAccounts,
  listCloudResources,
  readAccountDetails,
  startCloudDiscovery,
} from "@strongroom/contract";
import type { DiscoveryTarget, DiscoveryTargetType } from "@strongroom/contract";
import {
  AZURE_ROLES,
  needs,
  opensslAvailable,
  startFakeAzure,
  startFakeGoogleCloud,
} from "@strongroom/connectors/testing";
import type { FakeAzure, FakeGoogleCloud } from "@strongroom/connectors/testing";
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { anAccount } from "#testing/accounts.ts";
import { eventually } from "#testing/waiting.ts";
import { aDiscoveryWorld, named } from "../testing/discovery-world.ts";
import type { DiscoveryWorld } from "../testing/discovery-world.ts";

type AccountFields = NonNullable<Parameters<typeof anAccount>[3]>;

describe("discovery in clouds other than AWS", needs(opensslAvailable()), () => {
  let world: DiscoveryWorld;
  let azure: FakeAzure;
  let google: FakeGoogleCloud;
  before(async () => {
    [world, azure, google] = await Promise.all([aDiscoveryWorld(), startFakeAzure(), startFakeGoogleCloud()]);
  });
  after(() => Promise.all([world?.app.close(), azure?.stop(), google?.stop()]));

  async function aCloudTarget(targetType: DiscoveryTargetType, hostname: string, login: AccountFields) {
    const { app, owner, safe, linuxTarget, aTarget } = world;
    const account = await anAccount(app, owner, safe, { connection_method: "HTTPS", hostname, ...login });
    const address = { host: hostname, port: 443 };
    return aTarget({ ...linuxTarget(account, address), name: targetType, targetType, connectionMethod: "https" });
  }

  async function anAzureTarget(): Promise<DiscoveryTarget> {
    const { clientId, secrets } = azure.addApplication("scanner");
    return aCloudTarget("azure", "login.microsoftonline.com", {
      system_type: "Azure",
      username: clientId,
      password: secrets[0]!.text,
      additional_params: { protocol: "azure", tenant: azure.tenant, endpoint: azure.origin, ca: azure.ca },
    });
  }

  const start = ({ id }: DiscoveryTarget, regions: string[] = []) =>
    world.app.call(startCloudDiscovery, { body: { targetId: id, regions }, as: world.owner.token });

  async function namesOf(query: { provider: "azure" | "gcp"; region?: string; kind?: "secret" }): Promise<string[]> {
    const reply = await world.app.call(listCloudResources, { query, as: world.owner.token });
    assert.equal(reply.status, 200, reply.text);
    return reply.body.data.map(({ name }) => name).toSorted();
  }

  test("Azure: users and applications, recognised after their names changed, and secrets by region", async () => {
    const target = await anAzureTarget();
    const ada = azure.addUser("Ada@corp.example");
    azure.assignRole(ada.id, AZURE_ROLES.globalAdministrator);
    const deployer = azure.addApplication("deployer");
    azure.vaults.set("shop", { uri: `${azure.origin}/`, location: "westeurope", secrets: ["database", "mail"] });
    const started = await start(target);
    assert.equal(started.status, 202, started.text);
    const ended = await world.ended(started.body);
    assert.equal(ended.status, "completed", JSON.stringify(ended));
    const accounts = await world.found(target);
    const admin = named(accounts, "Ada@corp.example");
    assert.deepEqual([admin?.system_type, admin?.discovery_metadata.is_privileged], ["other", true]);
    const application = named(accounts, `deployer (${deployer.clientId})`);
    assert.ok(application !== undefined);
    const scanner = accounts.find((each) => each.account_name.startsWith("scanner ("));
    assert.equal(scanner?.is_managed, true, "the scan's own credential is in a safe, under its client ID");
    assert.deepEqual(await namesOf({ provider: "azure", region: "westeurope" }), ["shop/database", "shop/mail"]);
    assert.deepEqual(await namesOf({ provider: "gcp" }), []);

    deployer.name = "deployer of the shop";
    ada.name = "ada@CORP.example";
    await world.scanned(target);
    const again = await world.found(target);
    assert.equal(again.length, accounts.length);
    assert.equal(named(again, `deployer of the shop (${deployer.clientId})`)?.id, application.id);
    assert.equal(named(again, "ada@CORP.example")?.id, admin?.id);
    assert.ok(!azure.requests.some((each) => /\/secrets\/./.test(each)), "no value is asked for");
  });

  test("Azure: an approved application logs in with its client ID, in the tenant of the scan", async () => {
    const { app, owner, found, scanned } = world;
    const target = await anAzureTarget();
    const application = azure.addApplication("billing");
    await scanned(target);
    const account = named(await found(target), `billing (${application.clientId})`);
    const body = { accountIds: [account!.id], onboardingSettings: {} };
    const approved = await app.call(approveDiscoveredAccounts, { body, as: owner.token });
    assert.equal(approved.body.decided, 1, approved.text);
    const id = await eventually(async () => named(await found(target), account!.account_name)?.account_id ?? null);
    const details = await app.call(readAccountDetails, { params: { id }, as: owner.token });
    assert.equal(details.status, 200, details.text);
    assert.equal(details.body.username, application.clientId);
    assert.equal(details.body.additional_params?.["tenant"], azure.tenant);
  });

  test("Google Cloud: service accounts, users with roles, and secrets", async () => {
    const { email, secret } = google.addServiceAccount("scanner");
    google.bindings.push({ role: "roles/owner", members: ["user:ada@corp.example"] });
    google.secrets.push("database");
    const target = await aCloudTarget("gcp", "iam.googleapis.com", {
      system_type: "Application",
      username: email,
      password: secret,
      additional_params: { protocol: "google-cloud", endpoint: google.origin, ca: google.ca },
    });
    const { body } = await start(target);
    assert.equal((await world.ended(body)).status, "completed");
    const accounts = await world.found(target);
    assert.equal(named(accounts, "ada@corp.example")?.discovery_metadata.is_privileged, true);
    assert.equal(named(accounts, email)?.is_managed, true, "the credential of the scan is in a safe");
    assert.deepEqual(await namesOf({ provider: "gcp", kind: "secret" }), ["strongroom-test/database"]);
  });

  test("refuses regions, and credentials of another cloud", async () => {
    const target = await anAzureTarget();
    const refused = await start(target, ["eu-central-1"]);
    assert.equal(refused.status, 422);
    assert.match(refused.text, /discovery\.no-regions/);
    const { app, owner, safe, linuxTarget, aTarget } = world;
    const { email, secret } = google.addServiceAccount("other");
    const account = await anAccount(app, owner, safe, {
      connection_method: "HTTPS",
      system_type: "Application",
      hostname: "iam.googleapis.com",
      username: email,
      password: secret,
      additional_params: { protocol: "google-cloud" },
    });
    const body = linuxTarget(account, { host: "x", port: 443 }, { targetType: "azure", connectionMethod: "https" });
    await assert.rejects(aTarget(body), /discovery\.credential-unsuitable/);
  });
});
